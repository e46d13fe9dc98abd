"""The legacy encryption of zip files (APPNOTE.TXT, 6.1), which Python reads and does not write."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping


def _crc(crc: int, byte: int) -> int:
    return (zlib.crc32(bytes([byte]), crc ^ 0xFFFFFFFF)) ^ 0xFFFFFFFF


class Keys:
    def __init__(self, password: bytes) -> None:
        self.keys = [0x12345678, 0x23456789, 0x34567890]
        for byte in password:
            self.update(byte)

    def update(self, byte: int) -> None:
        first, second, third = self.keys
        first = _crc(first, byte)
        second = ((second + (first & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        third = _crc(third, second >> 24)
        self.keys = [first, second, third]

    def encrypt(self, data: bytes) -> bytes:
        out = bytearray()
        for byte in data:
            mask = (self.keys[2] | 2) & 0xFFFF
            out.append(byte ^ ((mask * (mask ^ 1)) >> 8 & 0xFF))
            self.update(byte)
        return bytes(out)


def encrypted_zip(files: Mapping[str, bytes], password: str) -> bytes:
    """Return a zip file whose members are stored and encrypted."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            crc = zlib.crc32(data)
            header = bytes(11) + bytes([crc >> 24])
            info = zipfile.ZipInfo(name)
            archive.writestr(info, Keys(password.encode()).encrypt(header + data))
            info.CRC, info.file_size = crc, len(data)
            info.flag_bits |= 1
    return _flagged(buffer.getvalue(), {name: zlib.crc32(data) for name, data in files.items()}, files)


def _flagged(raw: bytes, crcs: Mapping[str, int], files: Mapping[str, bytes]) -> bytes:
    """Set the encryption bit, the plain CRC and the plain size in the local headers, as in the directory."""
    data = bytearray(raw)
    for name, content in files.items():
        at = data.index(b"PK\x03\x04" + data[4:6], 0)
        while data[at + 30 : at + 30 + len(name)] != name.encode():
            at = data.index(b"PK\x03\x04", at + 4)
        data[at + 6] |= 1
        data[at + 14 : at + 18] = crcs[name].to_bytes(4, "little")
        data[at + 22 : at + 26] = len(content).to_bytes(4, "little")
    return bytes(data)
