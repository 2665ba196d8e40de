"""What every module with a camera, a microphone or a voice does alike: offer it to the console.

Threading: the module's event loop.
Safety: nothing is offered in virtual time; a feed that cannot be offered is one warning, and the
module goes on without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sera.feeds.picture import PictureFeed
from sera.feeds.server import FeedServer
from sera.feeds.sound import SoundFeed, VoiceFeed

if TYPE_CHECKING:
    from sera.feeds.announcement import FeedKind
    from sera.runtime.module import Module


async def offer_picture(module: Module, name: str, device: str | int) -> PictureFeed | None:
    """The pictures of a camera.

    Args:
        module: who has them.
        name: what people call the camera.
        device: number, address or file; two modules with one camera are offered as one.
    """
    server = await _offered(module, "picture", name, device)
    return None if server is None else PictureFeed(server)


async def offer_sound(module: Module, name: str, device: str | int | None) -> SoundFeed | None:
    """The sound of a microphone; arguments as for `offer_picture`."""
    server = await _offered(module, "sound", name, "default" if device is None else device)
    return None if server is None else SoundFeed(server)


async def offer_voice(module: Module) -> VoiceFeed | None:
    """The voice of the module's character."""
    server = await _offered(module, "voice", module.character, None)
    return None if server is None else VoiceFeed(server, module.clock)


async def _offered(
    module: Module, kind: FeedKind, name: str, device: str | int | None
) -> FeedServer | None:
    if module.clock.kind == "virtual":
        return None
    run, character = module.bus.identity.run, module.character
    server = FeedServer(kind, name, run, module.source, character=character, device=device)
    try:
        await server.start(now_s=module.clock.now())
    except OSError as error:
        module.fault(f"the console cannot have the {kind} of {name}: {error}", warning=True)
        return None
    return server


__all__ = ["offer_picture", "offer_sound", "offer_voice"]
