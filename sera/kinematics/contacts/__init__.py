"""What of a body comes near itself, the ground and things around it, and how to keep clear."""

from sera.kinematics.contacts._contact_kernels import GROUND
from sera.kinematics.contacts.model import ContactModel, Hull, Look, box_points
from sera.kinematics.contacts.steering import Held, Steering

__all__ = ["GROUND", "ContactModel", "Held", "Hull", "Look", "Steering", "box_points"]
