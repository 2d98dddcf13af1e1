import * as z from 'zod/mini'
import { HOST_SECTIONS, type HostUnit } from '../../protocol/host-document.ts'
import { dropInFile, KUBELET_UNIT, unitFile } from '../paths.ts'
import type { ServiceManager } from '../ports.ts'
import { templateOf } from '../service-managers.ts'
import { isRunning, staysRunning } from '../service-state.ts'
import { startUnit, stopUnit } from '../unit-orders.ts'
import { defineKind } from './define-kind.ts'
import { file, fileClaim } from './file.ts'
import type { HostHands, Kind, Resource, Section } from './kind.ts'
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
    triggers: units.map((spec) => ({ unit: spec.name, subjects: triggersOf(spec, units) })),
  }),
  resources: async (units: readonly HostUnit[]) => units.flatMap((spec) => unitResources(spec, units)),
}

/** The unit's own file and its drop-ins are files like any other; this is whether it is enabled and runs. */
export const unit: Kind<UnitSpec> = defineKind({
  name: 'unit',
  version: 1,
  section,
  subject: ({ name }: UnitSpec) => name,
  restartTriggers: (spec) => spec.restartTriggers ?? [],
  mustRun: ({ running }) => running === true,
  observe: async ({ name }, { services }) => services.show(name),
  unit: ({ name }) => name,

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
  order: ({ unit: name, enabled, running }) => (enabled || running ? startOrder(name) : isTrigger(name) ? -0.5 : -1),
  effects: ({ unit: name, running }) => ({ starts: running ? [name] : [], stops: running === false ? [name] : [] }),
  perform: setUnit,

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
    perform: setUnit,
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

/** What triggers a unit is refused while that runs. The kubelet finds everything running that it needs. */
function startOrder(name: string): number {
  if (isTrigger(name)) return 0.5
  return name === KUBELET_UNIT ? 3 : 1
}

/** systemd starts another unit when something happens: a connection, a time, an access. */
function isTrigger(name: string): boolean {
  return /\.(?:socket|timer|automount|path)$/.test(name)
}

/** Tried again at every look, it would never come true. */
function notDisabled(name: string): string {
  return `disable "${name}": it is still enabled, outside /etc/systemd/system: systemctl is-enabled ${name} says how; mask it, or remove what enables it`
}

/** A job that works is not started again by whoever puts things back: that would wait for its end. */
async function stateOf(name: string, services: ServiceManager) {
  const state = await services.show(name)
  return { unit: name, enabled: state.enabled, running: staysRunning(state) }
}

/** A service manager refuses to disable or stop a unit that it does not know; such a one is neither enabled nor running. */
async function setUnit({ unit: name, enabled, running }: UnitState, host: HostHands): Promise<void> {
  const { services } = host
  // The unit's own file may have come or gone a moment ago.
  await services.reload()
  const now = await services.show(name)
  if (enabled !== undefined && enabled !== now.enabled) await (enabled ? services.enable(name) : services.disable(name))
  if (running && !isRunning(now.active)) await startUnit(name, 'start', host)
  // One that failed is to be forgotten, too.
  if (running === false && now.active !== 'inactive') await stopUnit(name, host)
}

function unitResources(spec: HostUnit, units: readonly HostUnit[]): Resource[] {
  const files = unitTexts(spec).map(([path, text]) => file.of({ path, content: { bytes: Buffer.from(text) } }))
  const running = spec.state === undefined ? undefined : spec.state === 'running'
  const { name, enabled, content } = spec
  const isStatic = content === undefined ? undefined : !/^\[Install\]/m.test(content)
  // As `systemctl mask` does it.
  const mask = spec.masked ? [link.of({ path: unitFile(name), target: '/dev/null' })] : []
  return [...files, ...mask, unit.of({ name, enabled, running, isStatic, restartTriggers: triggersOf(spec, units) })]
}

function unitTexts({ name, content, dropIns = {} }: HostUnit): [path: string, text: string][] {
  const own: [string, string][] = content === undefined ? [] : [[unitFile(name), content]]
  return [...own, ...Object.entries(dropIns).map(([dropIn, text]): [string, string] => [dropInFile(name, dropIn), text])]
}

/** An instance reads the files of its template, too. */
function triggersOf(spec: HostUnit, units: readonly HostUnit[]): string[] {
  if (spec.state === 'stopped') return []
  const template = templateOf(spec.name)
  const read = units.filter(({ name }) => name === spec.name || name === template).flatMap(unitTexts)
  const own = template === spec.name ? [] : [unitFile(template)]
  return [...new Set([...read.map(([path]) => path), ...own, ...(spec.restartOn ?? [])])]
}

function stateClaim({ name, enabled, state }: HostUnit) {
  return enabled === undefined && state === undefined ? [] : [{ kind: 'unit', key: name }]
}
