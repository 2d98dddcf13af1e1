const BASIS = 0x811c9dc5
const PRIME = 0x01000193

/**
 * 32 bits of a name in a scope, evenly spread and the same in every process and release: FNV-1a, then murmur's finalizer, since
 * short inputs that differ in their last character alone would stay close.
 */
export function stableHash(scope: string, name: string): number {
  let hash = fold(fold(BASIS, scope), name)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The texts are not joined: that would copy each of thousands of names. */
function fold(start: number, text: string): number {
  let hash = start
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME)
  return hash
}
