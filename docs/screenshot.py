"""Draws docs/page.png, the picture of the web page in the README: a search, and why its first hit was found.

``ontonym serve`` with the demo's index has to run: ``python docs/screenshot.py [ADDRESS]``. It needs Chromium with its
driver, selenium and Pillow.
"""

from __future__ import annotations

import shutil
import sys
import time
from io import BytesIO
from pathlib import Path

from PIL import Image
from selenium import webdriver

WORDS = "heart skipping beats"
WIDTH, HEIGHT = 1000, 620
COLOURS = 128
PATIENCE = 20


def main(address: str = "http://127.0.0.1:8000/") -> None:
    """Takes the picture, in few colours, so that it is small."""
    options = webdriver.ChromeOptions()
    for one in ("headless=new", "no-sandbox", "hide-scrollbars", f"window-size={WIDTH},{HEIGHT}"):
        options.add_argument(f"--{one}")
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    with webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver"))) as driver:
        size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.implicitly_wait(PATIENCE)
        driver.get(f"{address}#/search?q={WORDS}")
        driver.find_element("css selector", ".reason button").click()
        driver.find_element("css selector", ".why li")
        driver.execute_script("document.activeElement.blur()")
        time.sleep(0.5)  # until the transitions are over
        taken = Image.open(BytesIO(driver.get_screenshot_as_png())).convert("RGB")
    taken.quantize(COLOURS).save(Path(__file__).with_name("page.png"), optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:2])
