"""Makes zips with the classic encryption of PKWARE's APPNOTE (6.1), which the standard library only reads."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping

DEFLATED, AES = 8, 99


def _crc(value: int, byte: int) -> int:
    return zlib.crc32(bytes([byte]), value ^ 0xFFFFFFFF) ^ 0xFFFFFFFF


class _Cipher:
    def __init__(self, password: bytes) -> None:
        self.keys = [0x12345678, 0x23456789, 0x34567890]
        for byte in password:
            self._update(byte)

    def _update(self, byte: int) -> None:
        first, second, third = self.keys
        first = _crc(first, byte)
        second = ((second + (first & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        self.keys = [first, second, _crc(third, second >> 24)]

    def encrypt(self, data: bytes) -> bytes:
        out = bytearray()
        for byte in data:
            key = self.keys[2] | 2
            out.append(byte ^ ((key * (key ^ 1) >> 8) & 0xFF))
            self._update(byte)
        return bytes(out)


def encrypted_zip(members: Mapping[str, bytes], password: str, method: int = DEFLATED) -> bytes:
    """Return a zip of the members; the method `AES` marks them as AES, without being it."""
    body, directory = bytearray(), bytearray()
    for name, content in members.items():
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(content) + packer.flush()
        crc = zlib.crc32(content)
        header = b"0123456789a" + bytes([crc >> 24])
        sealed = _Cipher(password.encode()).encrypt(header + packed)
        encoded = name.encode()
        facts = struct.pack("<HHHHHIIIHH", 20, 1, method, 0, 33, crc, len(sealed), len(content), len(encoded), 0)
        place = struct.pack("<HHHII", 0, 0, 0, 0, len(body))
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + facts + place + encoded
        body += b"PK\x03\x04" + facts + encoded + sealed
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    return bytes(body + directory) + b"PK\x05\x06" + end
