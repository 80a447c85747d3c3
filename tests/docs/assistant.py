"""An assistant: a small OpenAI-compatible chat server in this process.

Every answer has a word of its own (quorl1, quorl2, …), so that a test can tell whose answer stands
where. It knows from the prompt what it is asked for, and counts the calls for each document by the
word that marks the document (a Sheet's mark, see endings.py). Words in a prompt steer it:

  test:unsure   files with a confidence of 0.4, unless somebody has added "surely"
  test:broken   500, every time
"""
import http.server
import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass

FILE, SUMMARIZE, TITLE, ASK = "file", "summarize", "title", "ask"
KINDS = {"You file documents": FILE, "You summarize": SUMMARIZE, "better title": TITLE,
         "answer a question": ASK}
MARK = re.compile(r"\bsheet[0-9a-f]{12}\b")


@dataclass(frozen=True)
class Call:
    kind: str
    mark: str  # of the document; empty: it has none
    word: str  # of this answer
    system: str
    user: str


Answer = Callable[[Call], str]


class Assistant(http.server.ThreadingHTTPServer):
    """`with` starts and ends it. Thread-safe."""
    daemon_threads = True

    def __init__(self, answer: Answer | None = None):
        super().__init__(("127.0.0.1", 0), Chat)
        self.files_into = ""  # the id of a collection
        self.calls: list[Call] = []
        self.wrong: list[str] = []  # what no client of ours should ask
        self._answer = answer or self.usual
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> "Assistant":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.shutdown()
        self._thread.join(10)
        self.server_close()

    @property
    def port(self) -> int:
        return self.server_address[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def calls_about(self, mark: str, kind: str = "") -> list[Call]:
        return [call for call in list(self.calls)
                if call.mark == mark and kind in ("", call.kind)]

    def reply(self, body: dict) -> tuple[int, dict]:
        system, user = (message["content"] for message in body["messages"])
        kind = next((its for words, its in KINDS.items() if words in system), "")
        mark = MARK.search(user)
        with self._lock:
            call = Call(kind, mark[0] if mark else "", f"quorl{len(self.calls) + 1}", system, user)
            self.calls.append(call)
        if not kind:
            self.wrong.append(f"a prompt that nobody knows: {system[:200]}")
        if "test:broken" in user:
            return 500, {"error": {"message": "broken, as asked for"}}
        message = {"role": "assistant", "content": self._answer(call)}
        return 200, {"id": call.word, "object": "chat.completion", "created": 0, "model": "test",
                     "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}

    def usual(self, call: Call) -> str:
        """What a well-behaved model might say."""
        match call.kind:
            case "file":
                return json.dumps(self.advice(call))
            case "summarize":
                return f"This is {call.word}.\n\nIt has *two* paragraphs and a snake_case_word."
            case "title":
                return f"A better title, {call.word}"
        return f"The answer is **{call.word}**.\n\n- one\n- two"

    def advice(self, call: Call) -> dict:
        if self.files_into not in call.system:
            self.wrong.append(f"{self.files_into} is not among the collections")
        is_unsure = "test:unsure" in call.user and "surely" not in call.user
        others = re.findall(r"^- id ([0-9a-f-]{36}):", call.system, re.M)
        return {"collection_id": self.files_into, "confidence": 0.4 if is_unsure else 0.95,
                "reasoning": f"It says {call.word}, 2 * 3_4.",
                "alternatives": [{"collection_id": each, "why": "perhaps"} for each in others[:2]],
                "search_terms": [call.word, "pump_repair", "a*b"]}


class Chat(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Assistant

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        status, answer = self.server.reply(body)
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_) -> None:
        pass
