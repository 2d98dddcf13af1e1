import type { ServiceState } from '../ports.ts'
import { isRunning } from '../transaction/change.ts'
import type { ResourceKind } from './resource.ts'

export interface UnitSpec {
  readonly name: string
  readonly enabled?: boolean | undefined
  readonly running?: boolean | undefined
}

/** The unit's own file and its drop-ins are files like any other; this is whether it is enabled and runs. */
export const unit: ResourceKind<UnitSpec, ServiceState> = {
  name: 'unit',
  observe: ({ services }, { name }) => services.show(name),
  difference: ({ name, ...wanted }, actual) => {
    const enabled = wanted.enabled === actual.enabled ? undefined : wanted.enabled
    const running = wanted.running === isRunning(actual.active) ? undefined : wanted.running
    if (enabled === undefined && running === undefined) return undefined
    return {
      kind: 'unit',
      unit: name,
      ...(enabled === undefined ? {} : { enabled }),
      ...(running === undefined ? {} : { running }),
    }
  },
  // Stopping takes something away from whoever uses it; starting does not.
  disruption: ({ running }, actual) => (running === false && isRunning(actual.active) ? 'restart' : 'none'),
}
