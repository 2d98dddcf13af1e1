import { CLEARED_CONTROLS } from '../../protocol/names.ts'
import type { PoolStatusView } from '../status/pool-view.ts'

/**
 * The controller takes a request that reads as the one before for the same: a second operator would wait for an answer that goes to
 * the first, or for none.
 * @throws {Error} while the same request stands on the pool
 */
export function refuseAskedBefore(
  { name, controls = {} }: PoolStatusView,
  { control, value }: { readonly control: keyof typeof CLEARED_CONTROLS; readonly value: string },
): void {
  if (controls[control] !== value) return
  const by = controls.by?.[control]
  const who = by ? ` by ${by.who} at ${by.at}` : ''
  throw new Error(
    `pool "${name}" was asked the same${who}; see what came of it with: nodewave status ${name}; ` +
      `if the request stays, remove it before you ask again: kubectl annotate nwp/${name} ${CLEARED_CONTROLS[control]}-`,
  )
}
