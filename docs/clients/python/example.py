"""Prints quotes, what is refused, and the first disclosures: python3 example.py [ID…]."""

import itertools
import os
import sys
from typing import Callable

from piyasa import Piyasa, PiyasaError

market = Piyasa(os.environ.get("PIYASA_URL", "http://127.0.0.1:8080"), os.environ["PIYASA_KEY"])
for quote in market.quotes(*(sys.argv[1:] or ["bist:DMOST", "fx:USDTRY"])):
    print(quote["instrument_id"], quote["last"], quote["currency"])
refused: list[Callable[[], object]] = [lambda: market.eod("bist:NOPE"), lambda: next(market.follow_disclosures("nope"))]
for ask in refused:
    try:
        ask()
    except PiyasaError as error:
        print(error.kind, error)
for _, disclosure in itertools.islice(market.follow_disclosures("all", position=0), 30):
    print(disclosure["disclosureIndex"], disclosure["type"])
