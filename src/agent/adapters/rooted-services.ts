import type { Log, ServiceManager, ServiceState } from '../ports.ts'
import type { ServiceManagerName } from '../service-managers.ts'
import { showEach } from './services/service-parts.ts'

/**
 * Below a `--root` nothing runs: what would be sent to the service manager is only printed. The machine that the directory lies on has services of
 * the same names, and they are none of ours; to ask its systemd would restart its kubelet.
 */
export function rootedServices(log: Log, name: ServiceManagerName = 'systemd'): ServiceManager {
  const disabled = new Set<string>()
  const stopped = new Set<string>()
  const says = (verb: string, effect: (unit: string) => void = () => {}) => {
    return async (unit: string): Promise<void> => {
      effect(unit)
      log.info(`below --root, not done: ${verb} ${unit}`)
    }
  }
  const show = async (unit: string) => stateOf({ running: !stopped.has(unit), enabled: !disabled.has(unit) })
  return {
    name,
    show,
    showAll: showEach(show),
    stoppedWith: async () => [],
    restart: says('restart', (unit) => stopped.delete(unit)),
    start: says('start', (unit) => stopped.delete(unit)),
    stop: says('stop', (unit) => stopped.add(unit)),
    enable: says('enable', (unit) => disabled.delete(unit)),
    disable: says('disable', (unit) => disabled.add(unit)),
    reload: async () => {},
    machine: async () => 'up',
    bootId: async () => 'none',
    reboot: async () => log.info('below --root, not done: reboot'),
    lastWords: async () => [],
  }
}

/** Milliseconds: what nobody starts has not been started a moment ago. */
const LONG = 3_600_000

function stateOf({ running, enabled }: { readonly running: boolean; readonly enabled: boolean }): ServiceState {
  const active = running ? 'active' : 'inactive'
  const process = { mainPid: running ? 1 : 0, restarts: 0, runningFor: running ? LONG : 0, lastExit: 0 }
  return { exists: true, isGone: false, active, enabled, isStatic: false, ...process }
}
