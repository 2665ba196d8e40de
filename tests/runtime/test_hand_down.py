"""Settings on their way to another process."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import Field, SecretStr

from sera import Module
from sera.messages import Channel
from sera.runtime._hand_down import settings_as_json


class Settings(Module.Settings):
    token: SecretStr = SecretStr("sesame")
    tokens: list[SecretStr] = Field(default_factory=lambda: [SecretStr("a"), SecretStr("b")])
    folder: Path = Path("here")
    channel: Channel = Channel.SPEECH
    size: tuple[int, float] = (1, 2.5)
    by_name: dict[str, SecretStr | None] = Field(default_factory=lambda: {"x": SecretStr("y")})


def test_settings_come_back_from_json_as_they_were_with_their_secrets():
    settings = Settings()
    text = json.dumps(settings_as_json(settings))
    assert Settings(**json.loads(text)) == settings
    assert json.loads(text)["token"] == "sesame"
    assert "sesame" not in repr(settings)
