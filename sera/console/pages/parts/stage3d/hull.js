/**
 * Shapes of bodies as triangles: the hull around balls, with the normals of the balls, so that few
 * triangles look round.
 */

import { BufferAttribute, BufferGeometry, Color, IcosahedronGeometry, Vector3 } from "/console/vendor/three/three.module.js";
import { ConvexHull } from "/console/vendor/three/ConvexHull.js";

const ONE_BALL = 3;
const SEVERAL = 2;
const spheres = new Map();

/** Points of a ball of radius one, each once. */
function unitBall(detail) {
  if (!spheres.has(detail)) {
    const made = new IcosahedronGeometry(1, detail).getAttribute("position");
    const unique = new Map();
    for (let place = 0; place < made.count; place++) {
      const point = new Vector3().fromBufferAttribute(made, place);
      unique.set(point.toArray().map((part) => part.toFixed(4)).join(), point);
    }
    spheres.set(detail, [...unique.values()]);
  }
  return spheres.get(detail);
}

/**
 * The triangles of a hull, not indexed.
 *
 * @param {{points_m: number[][], radii_m: number[]}} hull
 * @returns {{positions: number[], normals: number[]}}
 */
export function trianglesOf({ points_m, radii_m }) {
  const directions = unitBall(points_m.length === 1 ? ONE_BALL : SEVERAL);
  const normals = new Map();
  const cloud = [];
  for (const [place, centre] of points_m.entries()) {
    for (const direction of directions) {
      const point = new Vector3(...centre).addScaledVector(direction, radii_m[place]);
      normals.set(point, direction);
      cloud.push(point);
    }
  }
  const found = { positions: [], normals: [] };
  for (const face of new ConvexHull().setFromPoints(cloud).faces) {
    let edge = face.edge;
    do {
      const { point } = edge.head();
      found.positions.push(point.x, point.y, point.z);
      found.normals.push(...normals.get(point).toArray());
      edge = edge.next;
    } while (edge !== face.edge);
  }
  return found;
}

/** One geometry of several `{ positions, normals, colour }`, with a colour at each corner. */
export function merged(parts) {
  const count = parts.reduce((sum, { positions }) => sum + positions.length, 0);
  const [positions, normals, colours] = [0, 0, 0].map(() => new Float32Array(count));
  const colour = new Color();
  let at = 0;
  for (const part of parts) {
    positions.set(part.positions, at);
    normals.set(part.normals, at);
    colour.set(part.colour);
    for (let corner = at; corner < at + part.positions.length; corner += 3) colours.set([colour.r, colour.g, colour.b], corner);
    at += part.positions.length;
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new BufferAttribute(normals, 3));
  geometry.setAttribute("color", new BufferAttribute(colours, 3));
  return geometry;
}

/** Triangles of any geometry, moved by a matrix, as `merged` takes them. */
export function baked(geometry, matrix) {
  const moved = (geometry.index ? geometry.toNonIndexed() : geometry.clone()).applyMatrix4(matrix);
  return { positions: [...moved.getAttribute("position").array], normals: [...moved.getAttribute("normal").array] };
}
