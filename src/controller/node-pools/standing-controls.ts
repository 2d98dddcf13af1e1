import { askedByKey, POOL_CONTROLS } from '../../protocol/names.ts'
import { formatRequestedBy, type RequestedBy } from '../../protocol/requested-by.ts'
import type { NodePoolView } from '../cache/node-pool-view.ts'

type Annotations = Readonly<Record<string, string>>

/** A pause and a rollback last until an operator ends them: they outlive the NodePool that somebody deletes. */
export function standingControls({ controls, status }: Pick<NodePoolView, 'controls' | 'status'>): Annotations {
  const { paused, stopDrains, rollback, by } = controls
  // By its commit: without one it means what completed last, which only the deleted status knew.
  const to = rollback === undefined ? undefined : status.rollback?.to.revision
  return {
    ...signed(POOL_CONTROLS.paused, paused, by?.paused),
    ...(stopDrains && { [POOL_CONTROLS.stopDrains]: 'true' }),
    ...signed(POOL_CONTROLS.rollback, to, by?.rollback),
  }
}

function signed(key: string, value: string | undefined, by: RequestedBy | undefined): Annotations {
  if (value === undefined) return {}
  return { [key]: value, ...(by && { [askedByKey(key)]: formatRequestedBy(by) }) }
}
