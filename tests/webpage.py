"""The web page in a headless Chromium, as a person has it: keys are pressed, what is shown is read."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

PATIENCE = 20
"""Most seconds until the page shows what is waited for."""


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless Chromium; skips the test where there is none."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("no Chromium here: apt-get install chromium chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium: pip install selenium")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for one in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "window-size=1280,860"):
        options.add_argument(f"--{one}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield opened
    finally:
        opened.quit()


class WebPage:
    """The page at an address."""

    def __init__(self, driver: Any, address: str) -> None:
        self.driver = driver
        self.address = address

    def fresh(self) -> None:
        """Forgets the key, the theme and the address, as a new visitor."""
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.driver.get(f"{self.address}icon.svg")
        self.driver.execute_script("sessionStorage.clear(); localStorage.clear()")
        self.complaints()

    def open(self, state: str = "") -> None:
        """Loads the page anew, in the state that the address has after ``#/``."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.address}#/{state}")
        self.wait(lambda: self.driver.execute_script("return !!document.querySelector('main').dataset.view"))

    def complaints(self) -> list[str]:
        """What the browser logged since the last call: errors, and what a policy forbids."""
        return [one["message"] for one in self.driver.get_log("browser")]

    def wait(self, holds: Callable[[], Any]) -> Any:
        """What a condition gives, once it is true."""
        from selenium.common.exceptions import WebDriverException
        from selenium.webdriver.support.wait import WebDriverWait

        wait = WebDriverWait(self.driver, PATIENCE, 0.05, ignored_exceptions=[WebDriverException])
        return wait.until(lambda _: holds())

    def all(self, selector: str) -> list[Any]:
        """The elements that a CSS selector has."""
        found: list[Any] = self.driver.find_elements("css selector", selector)
        return found

    def shown(self, selector: str, text: str = "") -> Any:
        """The first visible element with this selector and text, once there is one."""
        return self.wait(
            lambda: next((one for one in self.all(selector) if one.is_displayed() and text in one.text), None)
        )

    def texts(self, selector: str) -> list[str]:
        """The texts of elements."""
        return [one.text for one in self.all(selector)]

    def press(self, *keys: str) -> None:
        """Presses keys, wherever the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def state(self) -> str:
        """What the address has after ``#``."""
        return str(self.driver.execute_script("return decodeURIComponent(location.hash.replaceAll('+', ' '))"))

    def sign_in(self, key: str) -> None:
        """Signs in with a key, in the window that asks for it."""
        self.shown("dialog input[type=password]").send_keys(key, "\ue007")
        self.wait(lambda: not self.all("dialog"))

    def width(self, pixels: int, height: int = 844) -> None:
        """Makes the window as wide as a telephone's."""
        values = {"width": pixels, "height": height, "deviceScaleFactor": 1, "mobile": pixels < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", values)

    def prefers(self, scheme: str) -> None:
        """Makes the system prefer a colour scheme."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
