"""The socket that a server listens on, opened by ourselves, so that a wrong address is one error."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from ontonym.errors import InputError

BACKLOG = 2048
"""Connections that wait to be accepted."""


@contextmanager
def listening(host: str, port: int, otherwise: str = "give another `port=`") -> Iterator[socket.socket]:
    """A listening socket.

    InputError where the address is none, not of this machine, or taken: ``otherwise`` says what to do then.
    """
    with ExitStack() as stack:
        try:
            family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            listener = stack.enter_context(socket.socket(family, kind))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(BACKLOG)
        except OSError as error:
            hint = f"; {otherwise}" if error.errno == errno.EADDRINUSE else ""
            raise InputError(f"cannot listen on {host}, port {port}: {error.strerror}{hint}") from None
        except UnicodeError:
            raise InputError(f"cannot listen on {host}: that is no name of a host") from None
        listener.set_inheritable(True)
        yield listener
