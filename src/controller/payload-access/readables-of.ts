import type { RenderedConfig } from '../revisions/compiled-fleet.ts'
import type { Readable } from './access-objects.ts'

/** What a node has to read to become this. */
export function readablesOf({ payloads }: Pick<RenderedConfig, 'payloads'>): Readable[] {
  return payloads.map(({ kind, name }): Readable => (kind === 'secret' ? `secrets/${name}` : `configmaps/${name}`))
}
