"""Bodies and their motion as pure maths: rotations, chains, trees, inverse kinematics, filters."""
