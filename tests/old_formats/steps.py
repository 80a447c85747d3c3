"""Adapts the steps in the journal of a dupes run to this machine: replaces inodes, times and the owner, and updates the
checksum as described in docs/formats/journal.md."""
import os

MASK = (1 << 64) - 1
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")


def avalanche(number):
    number ^= number >> 37
    number = number * 0x165667919E3779F9 & MASK
    return number ^ number >> 32


def xxh3(data, seed):
    """XXH3_64 for 129 to 240 bytes, the length of a step."""
    assert 129 <= len(data) <= 240, len(data)

    def word(bytes_, at):
        return int.from_bytes(bytes_[at:at + 8], "little")

    def mix(at, secret):
        product = ((word(data, at) ^ (word(SECRET, secret) + seed & MASK))
                   * (word(data, at + 8) ^ (word(SECRET, secret + 8) - seed & MASK)))
        return product & MASK ^ product >> 64

    total = len(data) * 0x9E3779B185EBCA87
    total = avalanche(total + sum(mix(16 * i, 16 * i) for i in range(8)) & MASK)
    total += sum(mix(16 * i, 16 * (i - 8) + 3) for i in range(8, len(data) // 16))
    return avalanche(total + mix(len(data) - 16, 136 - 17) & MASK)


def checksum(outcome):
    """c(outcome): the part of a task's checksum that depends on its outcome."""
    return xxh3(outcome, 1) >> 33


class Fields:
    """Reads a packed step field by field and writes a copy of it."""

    def __init__(self, packed):
        self.left, self.out = packed[1:], bytearray(packed[:1])

    def take(self):
        number, shift = 0, 0
        while True:
            byte, self.left = self.left[0], self.left[1:]
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    def put(self, number):
        while number >= 0x80:
            self.out.append(number & 0x7F | 0x80)
            number >>= 7
        self.out.append(number)

    def number(self, new=None):
        old = self.take()
        self.put(old if new is None else new)

    def text(self):
        size = self.take()
        text, self.left = self.left[:size], self.left[size:]
        self.put(size)
        self.out += text
        return os.fsdecode(text)

    def stamp(self, look=None):
        parts = (look.st_dev, look.st_ino, look.st_size, look.st_mtime_ns, look.st_ctime_ns) if look else (None,) * 5
        for part in parts:
            self.number(part)


def at_home(packed, folder):
    """The packed step, with the stamps of the kept file and of the link below the folder, owned by this user."""
    fields = Fields(packed)
    for _ in range(5):  # action, ignored differences
        fields.number()
    kept, link = (fields.text(), fields.number())[0], (fields.text(), fields.number())[0]
    fields.text(), fields.number()  # the target of a move
    fields.stamp(os.stat(folder / kept))
    fields.stamp()  # of the replaced file
    fields.stamp(os.stat(folder / link))
    fields.number(), fields.number(), fields.text()  # bytes on the disk, begun, digest
    fields.number()  # mode
    fields.number(os.geteuid())
    fields.number(os.getegid())
    return bytes(fields.out + fields.left)
