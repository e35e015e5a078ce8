# SPDX-License-Identifier: MIT
"""A client of the live page, by sockets alone: HTTP, WebSocket (RFC 6455), and the Foxglove protocol."""

import base64
import json
import os
import socket
import struct


def http(port, path="/", method="GET", headers=None):
    """Status, headers and body of a request."""
    with socket.create_connection(("127.0.0.1", port), 10) as s:
        lines = {"Host": f"127.0.0.1:{port}", "Connection": "close", **(headers or {})}
        text = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items()) + "\r\n"
        s.sendall(text.encode())
        s.settimeout(10)
        data = b""
        while True:
            head, end, body = data.partition(b"\r\n\r\n")
            fields = {}
            if end:
                for line in head.decode().split("\r\n")[1:]:
                    name, _, value = line.partition(":")
                    fields[name.lower()] = value.strip()
                if "content-length" in fields and len(body) >= int(fields["content-length"]):
                    break
            piece = s.recv(65536)
            if not piece:
                break
            data += piece
    return int(head.split()[1]), fields, body


class Refused(Exception):
    """The server refused the WebSocket."""


class Closed(Exception):
    """The server ended the connection."""


class Client:
    """One WebSocket; keeps the channels and services of the server."""

    def __init__(self, port, protocol="foxglove.sdk.v1", origin=None, host=None, buffer_bytes=None):
        self.socket = socket.socket()
        if buffer_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        self.socket.settimeout(20)
        self.socket.connect(("127.0.0.1", port))
        headers = {"Host": host or f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade",
                   "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), "Sec-WebSocket-Version": "13"}
        if protocol:
            headers["Sec-WebSocket-Protocol"] = protocol
        if origin:
            headers["Origin"] = origin
        self.socket.sendall(("GET / HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in headers.items()) + "\r\n").encode())
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            piece = self._receive()
            if not piece:
                self.socket.close()
                raise Refused("closed")
            self.data += piece
        head, _, self.data = self.data.partition(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0]:
            self.socket.close()
            raise Refused(head.split(b"\r\n")[0].decode())
        self.channels, self.services, self.subscriptions, self.next_id = {}, {}, {}, 1
        self.newest = {}  # time and bytes of the newest message, by subscription

    def _receive(self):
        try:
            return self.socket.recv(1 << 20)
        except ConnectionError:
            return b""

    def _take(self, count):
        while len(self.data) < count:
            piece = self._receive()
            if not piece:
                raise Closed
            self.data += piece
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def send_frame(self, opcode, payload, final=True):
        mask = os.urandom(4)
        n = len(payload)
        size = bytes([0x80 | n]) if n < 126 else (b"\xfe" + struct.pack(">H", n) if n < 65536 else
                                                  b"\xff" + struct.pack(">Q", n))
        masked = bytes(b ^ mask[i % 4] for i, b in enumerate(payload))
        self.socket.sendall(bytes([(0x80 if final else 0) | opcode]) + size + mask + masked)

    def send(self, message):
        self.send_frame(1, (message if isinstance(message, str) else json.dumps(message)).encode())

    def read(self):
        """The next message: a dict of a text, bytes of a binary one."""
        whole, kind = [], None
        while True:
            first, second = self._take(2)
            n = second & 0x7F
            if n == 126:
                n = struct.unpack(">H", self._take(2))[0]
            elif n == 127:
                n = struct.unpack(">Q", self._take(8))[0]
            payload, opcode = self._take(n), first & 0x0F
            if opcode == 8:
                raise Closed
            if opcode == 9:
                self.send_frame(10, payload)
                continue
            if opcode in (1, 2):
                kind = opcode
            whole.append(payload)
            if not first & 0x80:
                continue
            data = b"".join(whole)
            if kind == 2:
                if data[0] == 1:
                    number, time_ns = struct.unpack_from("<IQ", data, 1)
                    self.newest[number] = time_ns, data[13:]
                return data
            message = json.loads(data)
            if message["op"] == "advertise":
                self.channels.update({c["topic"]: c for c in message["channels"]})
            elif message["op"] == "advertiseServices":
                self.services.update({s["name"]: s for s in message["services"]})
            return message

    def until(self, wanted):
        """Reads until wanted(message) returns a value."""
        while True:
            found = wanted(self.read())
            if found is not None:
                return found

    def greet(self):
        """The first message of the server."""
        info = self.read()
        while not self.services:
            self.read()
        return info

    def subscribe(self, topic):
        self.subscriptions[topic], self.next_id = self.next_id, self.next_id + 1
        self.send({"op": "subscribe",
                   "subscriptions": [{"id": self.subscriptions[topic], "channelId": self.channels[topic]["id"]}]})

    def data_of(self, message, topic):
        """Time and bytes, if this is a message of the topic."""
        if isinstance(message, bytes) and message[0] == 1:
            number, time_ns = struct.unpack_from("<IQ", message, 1)
            if number == self.subscriptions[topic]:
                return time_ns, message[13:]
        return None

    def next_of(self, topic):
        return self.until(lambda m: self.data_of(m, topic))

    def newest_of(self, topic):
        """The newest message of the topic, after any others."""
        while self.subscriptions[topic] not in self.newest:
            self.read()
        return self.newest[self.subscriptions[topic]]

    def wait_for_time(self, topic, time_ns):
        """The newest message of the topic, once it has this time."""
        while self.newest.get(self.subscriptions[topic], (None,))[0] != time_ns:
            self.read()
        return self.newest[self.subscriptions[topic]][1]

    def next_json(self, topic):
        return json.loads(self.next_of(topic)[1])

    def call(self, service, request):
        """The answer, or the text of a failure."""
        number, self.next_id = self.next_id, self.next_id + 1
        text = json.dumps(request).encode()
        self.send_frame(2, b"\2" + struct.pack("<III", self.services[service]["id"], number, 4) + b"json" + text)

        def wanted(m):
            if isinstance(m, bytes) and m[0] == 3 and struct.unpack_from("<I", m, 5)[0] == number:
                return json.loads(m[13 + struct.unpack_from("<I", m, 9)[0]:])
            if isinstance(m, dict) and m["op"] == "serviceCallFailure" and m["callId"] == number:
                return m["message"]
            return None

        return self.until(wanted)


def read_cloud(cdr):
    """Header fields and points of a PointCloud2: rows, cols, step, {name: (offset, type)}, bytes."""
    at = 4 + 8

    def text():
        nonlocal at
        at = 4 + (at - 4 + 3) // 4 * 4
        n = struct.unpack_from("<I", cdr, at)[0]
        value = cdr[at + 4:at + 3 + n].decode()
        at += 4 + n
        return value

    def number(kind="<I", size=4):
        nonlocal at
        at = 4 + (at - 4 + size - 1) // size * size
        value = struct.unpack_from(kind, cdr, at)[0]
        at += size
        return value

    frame = text()
    rows, cols, fields = number(), number(), {}
    for _ in range(number()):
        name, offset, kind = text(), number(), number("<B", 1)
        number()
        fields[name] = (offset, kind)
    number("<B", 1)
    step, _, size = number(), number(), number()
    return {"frame": frame, "rows": rows, "cols": cols, "step": step, "fields": fields, "data": cdr[at:at + size]}
