"""Follows disclosures without loss: python3 client.py [TOPIC…]. Needs the package websockets, 10.4 or newer."""

import asyncio
import json
import os
import random
import sys

import websockets

URL = os.environ.get("PIYASA_URL", "ws://127.0.0.1:8080") + "/v1/kap-feed/stream"
TOPICS = sys.argv[1:] or ["all"]
FINAL = (4400, 4401, 4403)  # retrying does not help


class Client:
    def __init__(self):
        self.last = 0  # the highest number processed
        if os.path.exists("last_index"):
            with open("last_index") as file:
                self.last = int(file.read())
        self.seen = set()  # a disclosure may come twice, and a late one has a lower number
        self.pause = 0.25  # seconds until the next attempt

    def handle(self, disclosure):
        print(json.dumps(disclosure), flush=True)  # your work goes here; it must be done when this returns

    def take(self, disclosure):
        number = disclosure["disclosure_index"]
        if number in self.seen:
            return
        self.handle(disclosure)
        self.seen.add(number)
        self.last, self.pause = max(self.last, number), 0.25  # progress
        with open("last_index.new", "w") as file:
            file.write(str(self.last))
        os.replace("last_index.new", "last_index")  # a crash leaves the old number or the new one

    async def follow(self, socket):
        async def say(**message):
            await socket.send(json.dumps(message))

        complete = False  # whether all replays are complete
        await say(action="auth", api_key=os.environ.get("PIYASA_KEY"))
        while True:
            frame = json.loads(await socket.recv())
            kind = frame["type"]
            if kind == "auth_ok":
                await say(action="subscribe", ids=TOPICS, last_seen_index=self.last)
            elif kind == "subscribed" and frame["invalid"]:
                print("no topics:", frame["invalid"], file=sys.stderr)
            elif kind == "disclosure":
                # While a replay has a hole, skip live disclosures: the next replay repeats them in order.
                if complete or frame["replay"] or frame["data"]["disclosure_index"] < self.last:
                    self.take(frame["data"])
            elif kind == "replay_done" and frame["truncated"]:
                await say(action="subscribe", ids=TOPICS, last_seen_index=frame["last_index"])
            elif kind == "replay_done":
                complete, self.pause = True, 0.25
            elif kind == "error" and frame["code"] == "store_went_back":
                print("the store lost:", frame["lost"], file=sys.stderr)
            elif kind == "error":
                raise websockets.WebSocketException(frame["message"])

    async def run(self):
        while True:
            try:
                async with websockets.connect(URL, max_size=None) as socket:  # it sends pings itself
                    await self.follow(socket)
            except (OSError, asyncio.TimeoutError, websockets.WebSocketException) as end:
                print("disconnected:", end, file=sys.stderr)
                close = getattr(end, "rcvd", None)
                if close and close.code in FINAL:
                    sys.exit(1)
            await asyncio.sleep(self.pause * random.uniform(0.5, 1.5))
            self.pause = min(2 * self.pause, 10)


asyncio.run(Client().run())
