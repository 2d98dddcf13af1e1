import * as z from 'zod/mini'
import { HOST_SECTIONS, type HostUnit } from '../../protocol/host-document.ts'
import { dropInFile, KUBELET_UNIT, unitFile } from '../paths.ts'
import type { ServiceManager } from '../ports.ts'
import { isRunning } from '../service-state.ts'
import { defineKind } from './define-kind.ts'
import { file, fileClaim } from './file.ts'
import type { Kind, Resource, Section } from './kind.ts'
import { link, linkClaim } from './link.ts'

export interface UnitSpec {
  readonly name: string
  readonly enabled?: boolean | undefined
  readonly running?: boolean | undefined
  readonly restartTriggers?: readonly string[]
  /** Whether the file that the same document has for it lacks [Install]; undefined: the document has none. */
  readonly isStatic?: boolean | undefined
}

const unitState = z.object({ unit: z.string(), enabled: z.optional(z.boolean()), running: z.optional(z.boolean()) })
/** A unit as it should be, or as it was; what is missing is nobody's concern. */
type UnitState = z.infer<typeof unitState>

const section: Section = {
  key: 'units',
  schema: HOST_SECTIONS.units,
  managed: (units: readonly HostUnit[]) => ({
    claims: units.flatMap((spec) => [
      ...unitTexts(spec).map(([path]) => fileClaim(path)),
      ...(spec.masked ? [linkClaim(unitFile(spec.name))] : []),
      ...stateClaim(spec),
    ]),
    triggers: units.map((spec) => ({ unit: spec.name, subjects: triggersOf(spec) })),
  }),
  resources: async (units: readonly HostUnit[]) => units.flatMap(unitResources),
}

/** The unit's own file and its drop-ins are files like any other; this is whether it is enabled and runs. */
export const unit: Kind<UnitSpec> = defineKind({
  name: 'unit',
  version: 1,
  section,
  subject: ({ name }: UnitSpec) => name,
  restartTriggers: (spec) => spec.restartTriggers ?? [],
  observe: async ({ name }, { services }) => services.show(name),

  differ: ({ name, isStatic, ...wanted }, actual): UnitState | undefined => {
    // Nothing can enable a static unit.
    const isEnabled = actual.enabled || (wanted.enabled === true && (isStatic ?? actual.isStatic))
    const enabled = wanted.enabled === isEnabled ? undefined : wanted.enabled
    const running = wanted.running === isRunning(actual.active) ? undefined : wanted.running
    if (enabled === undefined && running === undefined) return undefined
    return { unit: name, ...(enabled === undefined ? {} : { enabled }), ...(running === undefined ? {} : { running }) }
  },

  // Stopping takes something away from whoever uses it; starting does not.
  disruption: ({ running }, actual) => (running === false && isRunning(actual.active) ? 'restart' : 'none'),
  // Stopped before its files go, and started after they have come; undone in reverse, the same holds.
  // The kubelet finds everything running that it needs.
  order: ({ unit: name, enabled, running }) => (!(enabled || running) ? -1 : name === KUBELET_UNIT ? 2 : 1),
  effects: ({ unit: name, running }) => ({ starts: running ? [name] : [], stops: running === false ? [name] : [] }),
  perform: (change, { services }) => setUnit(change, services),

  // Judged when the files of the same change have come or gone.
  proof: {
    reason: 'UnitNotDisabled',
    of: ({ unit: name, enabled }): UnitState => ({ unit: name, ...(enabled === undefined ? {} : { enabled }) }),
    complaint: async (data, { services }) => {
      const { unit: name, enabled } = unitState.parse(data)
      return enabled === false && (await services.show(name)).enabled ? notDisabled(name) : undefined
    },
  },

  undo: {
    fidelity: 'exact',
    schema: unitState,
    // A unit may stop, or be started, with nobody undoing anything.
    leavesTrace: false,
    prepare: async ({ unit: name, enabled, running }, { host }) => {
      const state = await stateOf(name, host.services)
      return {
        unit: name,
        ...(enabled === undefined ? {} : { enabled: state.enabled }),
        ...(running === undefined ? {} : { running: state.running }),
      }
    },
    perform: (undo, { services }) => setUnit(undo, services),
    isUndone: async (undo, { services }) => {
      const { enabled, running } = await stateOf(undo.unit, services)
      return (undo.enabled ?? enabled) === enabled && (undo.running ?? running) === running
    },
  },

  baseline: {
    collection: 'units',
    schema: unitState,
    key: (base) => base.unit,
    capture: async ({ key }, { host }) => stateOf(key, host.services),
    giveBack: async ({ unit: name, enabled, running }) => unit.of({ name, enabled, running }),
  },
})

/** Tried again at every look, it would never come true. */
function notDisabled(name: string): string {
  return `disable "${name}": it is still enabled, outside /etc/systemd/system: systemctl is-enabled ${name} says how; mask it, or remove what enables it`
}

async function stateOf(name: string, services: ServiceManager) {
  const { enabled, active } = await services.show(name)
  return { unit: name, enabled, running: isRunning(active) }
}

/** A service manager refuses to disable or stop a unit that it does not know; such a one is neither enabled nor running. */
async function setUnit({ unit: name, enabled, running }: UnitState, services: ServiceManager): Promise<void> {
  // The unit's own file may have come or gone a moment ago.
  await services.reload()
  const now = await stateOf(name, services)
  if (enabled !== undefined && enabled !== now.enabled) await (enabled ? services.enable(name) : services.disable(name))
  if (running !== undefined && running !== now.running) await (running ? services.start(name) : services.stop(name))
}

function unitResources(spec: HostUnit): Resource[] {
  const files = unitTexts(spec).map(([path, text]) => file.of({ path, content: { bytes: Buffer.from(text) } }))
  const running = spec.state === undefined ? undefined : spec.state === 'running'
  const { name, enabled, content } = spec
  const isStatic = content === undefined ? undefined : !/^\[Install\]/m.test(content)
  // As `systemctl mask` does it.
  const mask = spec.masked ? [link.of({ path: unitFile(name), target: '/dev/null' })] : []
  return [...files, ...mask, unit.of({ name, enabled, running, isStatic, restartTriggers: triggersOf(spec) })]
}

function unitTexts({ name, content, dropIns = {} }: HostUnit): [path: string, text: string][] {
  const own: [string, string][] = content === undefined ? [] : [[unitFile(name), content]]
  return [...own, ...Object.entries(dropIns).map(([dropIn, text]): [string, string] => [dropInFile(name, dropIn), text])]
}

function triggersOf(spec: HostUnit): string[] {
  return spec.state === 'stopped' ? [] : [...unitTexts(spec).map(([path]) => path), ...(spec.restartOn ?? [])]
}

function stateClaim({ name, enabled, state }: HostUnit) {
  return enabled === undefined && state === undefined ? [] : [{ kind: 'unit', key: name }]
}
