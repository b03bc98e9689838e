"""Who may talk to the server: pages that it has served itself, to somebody who knew its token.

A page from elsewhere in the same browser can reach the loopback too. It is recognised by its
``Origin``, or, where it has its own name resolve to the loopback, by ``Host``.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ...errors import ArgumentError, shown

PAGE, TALK = "/", "/live"


def check_host(host: str) -> str:
    """A loopback address, or an error: nobody else is to reach the server."""
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else str(host))
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise ArgumentError(
            "expected a loopback address (127.0.0.1 or ::1) for the live view, got "
            f"{shown(host)}; from another computer, forward the port through ssh"
        )
    return str(address)


class Guard:
    """Knows the token and the names that the server goes by."""

    def __init__(self, host: str, port: int):
        self.token: str = secrets.token_urlsafe(24)
        name = f"[{host}]" if ":" in host else host
        self.hosts: tuple[str, str] = (f"{name}:{port}", f"localhost:{port}")
        self.url: str = f"http://{self.hosts[0]}{PAGE}?token={self.token}"

    def refuses(self, target: str, headers: Any, is_upgrade: bool) -> tuple[int, str] | None:
        """Status and reason for a request that is not answered; None for one that is."""
        if headers.get_all("Host") not in [[host] for host in self.hosts]:
            return 403, "this server answers on the loopback only"
        origins = headers.get_all("Origin")
        own = [[f"http://{host}"] for host in self.hosts]
        # A browser names the origin of every socket; without one it is none of our pages.
        if origins not in own and (origins or is_upgrade):
            return 403, "foreign origin"
        if not self._knows(target):
            return 403, "missing or wrong token"
        if target.partition("?")[0] != (TALK if is_upgrade else PAGE):
            return 404, "nothing here"
        return None

    def _knows(self, target: str) -> bool:
        try:
            given = parse_qs(urlsplit(target).query, max_num_fields=4).get("token", [])
        except ValueError:
            return False
        text = given[0] if len(given) == 1 else ""
        return hmac.compare_digest(text.encode("utf-8", "replace"), self.token.encode())
