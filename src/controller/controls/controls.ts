import { foreignText } from '../../protocol/foreign-text.ts'
import { askedByKey, POOL_CONTROLS } from '../../protocol/names.ts'
import { parseRequestedBy } from '../../protocol/requested-by.ts'
import type { FleetControls } from '../../rollout/decide-fleet.ts'
import type { Controls } from '../../rollout/model/snapshot.ts'

type Annotations = Readonly<Record<string, string>> | undefined

/** Characters; people write these by hand, and the status repeats them. */
const MAX_VALUE = 500

/** What the annotations of a NodePool ask for. */
export function poolControls(annotations: Annotations): Controls {
  const controls = read(annotations, {
    paused: POOL_CONTROLS.paused,
    promoted: POOL_CONTROLS.promote,
    retry: POOL_CONTROLS.retry,
    rollback: POOL_CONTROLS.rollback,
    reconcileAt: POOL_CONTROLS.reconcileAt,
  })
  return { ...controls, ...stopsDrains(annotations) }
}

/** What those of the fleet's ConfigMap ask of every pool. */
export function fleetControls(annotations: Annotations): FleetControls {
  const { by, ...asked } = read(annotations, {
    paused: POOL_CONTROLS.paused,
    promoted: POOL_CONTROLS.promote,
    retry: POOL_CONTROLS.retry,
  })
  return { ...asked, ...(by?.paused && { pausedBy: by.paused }), ...stopsDrains(annotations) }
}

function stopsDrains(annotations: Annotations = {}): Pick<FleetControls, 'stopDrains'> {
  return annotations[POOL_CONTROLS.stopDrains] === undefined ? {} : { stopDrains: true }
}

function read(annotations: Annotations = {}, keys: { readonly [Control in keyof Controls]?: string }): Controls {
  const found = Object.entries(keys).flatMap(([control, key]) => {
    const value = annotations[key]
    return value === undefined ? [] : [[control, foreignText(value, MAX_VALUE)] as const]
  })
  const signed = Object.entries(keys).flatMap(([control, key]) => {
    const by = parseRequestedBy(annotations[askedByKey(key)])
    return by ? [[control, by] as const] : []
  })
  return { ...Object.fromEntries(found), ...(signed.length > 0 && { by: Object.fromEntries(signed) }) }
}
