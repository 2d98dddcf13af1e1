import type { HostUnit } from '../../protocol/host-document.ts'
import { AgentError } from '../agent-error.ts'
import { isUnitPath } from '../paths.ts'
import { definitionFile, MANAGER_TITLES, type ServiceManagerName, serviceName } from '../service-managers.ts'
import type { Managed } from '../state/managed.ts'
import type { ReadableDocument } from './read-document.ts'

type OtherManager = Exclude<ServiceManagerName, 'systemd'>

/** What takes the place of units that only systemd has. */
const INSTEAD: Readonly<Record<string, string>> = {
  mount: 'write it into /etc/fstab',
  automount: 'write a mount into /etc/fstab',
  swap: 'write it into /etc/fstab',
  timer: 'write a file below /etc/cron.d',
  socket: 'run the service itself',
}

/**
 * Other service managers than systemd have services, and whether they are enabled and run. The rest would be ignored by them.
 * @throws {AgentError} UnitNotSupported
 */
export function refuseUnsupportedUnits(
  { units = [], time }: ReadableDocument,
  { manager, managed }: { readonly manager: ServiceManagerName; readonly managed: Managed },
): void {
  if (manager === 'systemd') return
  for (const spec of units) refuseUnit(spec, manager)
  if (time?.ntp !== undefined)
    throw unsupported('apply "time.ntp"', manager, 'no systemd-timesyncd; configure its own time service by files and units')
  const file = managed.claims.find(({ key }) => isUnitPath(key))
  if (file !== undefined) throw unsupported(`write "${file.key}"`, manager, 'no unit files; write the script of its service')
}

function refuseUnit({ name, content, dropIns, masked }: HostUnit, manager: OtherManager): void {
  const service = serviceName(name)
  const what = (part: string): string => `apply ${part} of "${name}"`
  if (service === undefined) {
    const type = name.slice(name.lastIndexOf('.') + 1)
    throw unsupported(`apply "${name}"`, manager, `no units of type "${type}"; ${INSTEAD[type] ?? 'take it out'}`)
  }
  if (masked) throw unsupported(what('"masked"'), manager, 'no masks; write "enabled: false" and "state: stopped"')
  if (content !== undefined) {
    const script = definitionFile(manager, service)
    throw unsupported(what('"content"'), manager, `no unit files; write its script "${script}" under files, with mode "0755"`)
  }
  if (dropIns !== undefined && Object.keys(dropIns).length > 0)
    throw unsupported(what('"dropIns"'), manager, 'no drop-ins; write the settings that its script reads under files')
}

function unsupported(what: string, manager: OtherManager, why: string): AgentError {
  return new AgentError(`${what}: the host is run by ${MANAGER_TITLES[manager]}, which has ${why}`, {
    kind: 'validate',
    reason: 'UnitNotSupported',
  })
}
