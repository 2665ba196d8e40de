"""Live pictures and sound beside the bus: for the operator's eyes and ears.

A module offers what its camera, microphone or voice has (`sera.feeds.for_modules`); the gateway
lists the feeds of its run and carries them to those pages that may have them. They travel over the
loopback interface alone and are coded only while somebody looks on.
"""

from sera.feeds.announcement import Feed, FeedKind, feeds_folder, list_feeds
from sera.feeds.reader import FeedEnded, FeedReader
from sera.feeds.server import FeedServer

__all__ = [
    "Feed",
    "FeedEnded",
    "FeedKind",
    "FeedReader",
    "FeedServer",
    "feeds_folder",
    "list_feeds",
]
