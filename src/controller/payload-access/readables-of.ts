import type { Readable } from '../cache/access-objects.ts'
import type { RenderedConfig } from '../fleet/compiled-fleet.ts'

/** What a node has to read to become this. */
export function readablesOf({ payloads }: Pick<RenderedConfig, 'payloads'>): Readable[] {
  return payloads.map(({ kind, name }): Readable => (kind === 'secret' ? `secrets/${name}` : `configmaps/${name}`))
}
