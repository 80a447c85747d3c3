// The script of the pages of `serve`. Pages work without it: it only asks for a page that is live
// again, every two seconds, and puts what has changed in place. Focus, scrolling and open <details>
// stay as they are. Nothing is asked while the tab is hidden or the reader has paused it.
'use strict';
(() => {
  const main = document.getElementById('main');
  if (!main || !main.dataset.poll) return;
  const every = Number(main.dataset.poll);
  let tag = null;
  let timer = 0;
  let isPaused = false;
  let isAsking = false;
  let failures = 0;

  const status = document.querySelector('.status') ?? document.body;
  const note = document.createElement('span');
  const spoken = document.createElement('span');  // the state, for screen readers, when it changes
  const button = document.createElement('button');
  spoken.className = 'hidden';
  spoken.setAttribute('aria-live', 'polite');
  button.type = 'button';
  button.textContent = 'Pause';
  status.append(' · ', note, ' ', button, spoken);

  const say = (text) => { note.textContent = text; };
  const focusable = 'a[href], button, input, select, summary, [tabindex]';
  const stateOf = (root) => root.querySelector('h1 .pill')?.textContent ?? '';
  const nameOf = (details) => details.querySelector('summary')?.textContent.replace(/\d+/g, '') ?? '';

  function swap(fresh) {
    const was = stateOf(main);
    const focus = [...main.querySelectorAll(focusable)].indexOf(document.activeElement);
    const open = new Set([...main.querySelectorAll('details[open]')].map(nameOf));
    const boxes = [...main.querySelectorAll('.scroll')].map((box) => [box.scrollLeft, box.scrollTop]);
    const { scrollX, scrollY } = window;
    main.replaceChildren(...fresh.childNodes);
    for (const details of main.querySelectorAll('details')) details.open = open.has(nameOf(details));
    main.querySelectorAll('.scroll').forEach((box, i) => {
      if (boxes[i]) [box.scrollLeft, box.scrollTop] = boxes[i];
    });
    if (focus >= 0) main.querySelectorAll(focusable)[focus]?.focus({ preventScroll: true });
    window.scrollTo(scrollX, scrollY);
    if (stateOf(main) !== was) spoken.textContent = stateOf(main);
  }

  // A reader who chooses something in a form would lose it.
  const isBusy = () => main.contains(document.activeElement) && document.activeElement.matches('input, select');

  async function ask() {
    const headers = tag ? { 'If-None-Match': tag } : {};
    const answer = await fetch(location.href, { headers, cache: 'no-store', redirect: 'error' });
    if (answer.status === 401) return 'signed out: reload the page';
    if (answer.status !== 304) {
      if (!answer.ok) throw new Error(String(answer.status));
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const fresh = page.getElementById('main');
      if (!isBusy() && fresh) {
        tag = answer.headers.get('ETag');
        document.title = page.title;
        swap(fresh);
        if (!fresh.dataset.poll) return 'ended';
      }
    }
    return '';
  }

  async function turn() {
    timer = 0;
    isAsking = true;
    let end = '';
    try {
      end = await ask();
      failures = 0;
      say(end || `updated ${new Date().toLocaleTimeString()}`);
    } catch {
      failures = Math.min(failures + 1, 5);
      say('no answer, trying again');
    }
    isAsking = false;
    if (end) button.remove();
    else plan();
  }

  function plan() {
    if (timer || isAsking || isPaused || document.hidden || !button.isConnected) return;
    timer = setTimeout(turn, every * 2 ** failures);
  }

  function stop() {
    clearTimeout(timer);
    timer = 0;
  }

  button.addEventListener('click', () => {
    isPaused = !isPaused;
    button.textContent = isPaused ? 'Continue' : 'Pause';
    if (isPaused) stop();
    else plan();
  });
  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : plan()));
  plan();
})();
