import * as z from 'zod/mini'
import { HOST_SECTIONS, type HostPackage } from '../../protocol/host-document.ts'
import { packageSubject } from '../../protocol/names.ts'
import { AgentError } from '../agent-error.ts'
import type { InstalledPackage, PackageWish } from '../package-manager.ts'
import { defineKind } from './define-kind.ts'
import type { CaptureContext, HostHands, Kind, Section } from './kind.ts'
import { performPackages, stagePackages } from './package-change.ts'
import type { PackageChange, PackageItem, PackageSpec } from './package-spec.ts'
import { versionsOf } from './package-steps.ts'
import { packageUndo } from './package-undo.ts'

const packageBaseline = z.object({
  name: z.string(),
  /** Null when it was not installed. */
  version: z.nullable(z.string()),
  held: z.boolean(),
})
type PackageBaseline = z.infer<typeof packageBaseline>

const section: Section = {
  key: 'packages',
  schema: HOST_SECTIONS.packages,
  managed: (packages: readonly HostPackage[]) => ({ claims: packages.map(({ name }) => packageClaim(name)), triggers: [] }),
  resources: async (packages: readonly HostPackage[]) => packages.map((spec) => packageKind.of(toSpec(spec))),
}

/** All packages of a change are installed and removed at once: their dependencies are. */
export const packageKind: Kind<PackageSpec> = defineKind({
  name: 'package',
  version: 1,
  section,
  subject: ({ name }: PackageSpec) => packageSubject(name),
  observe: async ({ name, manager }, { packages }) => {
    if (manager !== undefined && manager !== packages.format.manager) throw unsupported(name, { manager, packages })
    return packages.installed(name)
  },

  differ: ({ name, version, state, held, unpackTo, ifInstalled }, actual): PackageChange | undefined => {
    if (ifInstalled && actual === undefined) return undefined
    const isHeld = actual?.held ?? false
    const item = {
      name,
      version,
      state,
      held: held ?? isHeld,
      unpackTo,
      from: actual?.version,
      ...ofKernel(actual, { version, state }),
    }
    if (state === 'absent') return actual && { items: [{ ...item, held: false, fits: false }] }
    const fits = actual?.complete === true && (version === undefined || version === actual.version)
    return fits && item.held === isHeld ? undefined : { items: [{ ...item, fits }] }
  },

  join: (changes) => ({ items: changes.flatMap(({ items }) => items) }),
  // Scripts of a package may restart what it brings.
  disruption: ({ items }) => (items.some(endsKernel) ? 'reboot' : items.every(({ fits }) => fits) ? 'none' : 'restart'),
  // Without its modules, a kernel is not to run on.
  awaits: ({ items }) => (items.some(endsKernel) ? 'boot' : undefined),
  renews: ({ items }) => items.filter(({ fits }) => !fits).map(({ name }) => packageSubject(name)),
  // What packages bring is stopped, overwritten and started by what comes after them.
  order: () => -2,
  effects: () => ({ reload: true }),
  stagedFor: ({ items }) => items.map(({ name, from }) => `${name} ${from}`).join(),
  stage: stagePackages,
  perform: performPackages,
  undo: packageUndo,
  baseline: {
    collection: 'packages',
    schema: packageBaseline,
    key: ({ name }: PackageBaseline) => packageSubject(name),
    capture: async ({ key }, { host }) => capture(key.slice(packageSubject('').length), host),
    giveBack: async ({ name, version, held }) =>
      packageKind.of(version === null ? { name, state: 'absent' } : { name, state: 'present', version, held }),
    recapture: recapturePackage,
  },
})

function unsupported(
  name: string,
  { manager, packages }: { readonly manager: string; readonly packages: HostHands['packages'] },
): AgentError {
  const message = `install package "${name}": it is for ${manager}, and the packages of this host are managed by ${packages.format.manager}`
  return new AgentError(message, { kind: 'validate', reason: 'UnsupportedHostResource' })
}

function endsKernel({ fits, endsKernel }: PackageItem): boolean {
  return !fits && endsKernel === true
}

/** Pure: of versions that stand beside each other, those that came after the wanted one go; all, where none is wanted. */
function ofKernel(
  actual: InstalledPackage | undefined,
  { version, state }: Pick<PackageWish, 'version' | 'state'>,
): Pick<PackageItem, 'endsKernel'> {
  if (actual?.running === undefined || (state === 'present' && version === undefined)) return {}
  const versions = versionsOf(actual)
  const at = version === undefined ? -1 : versions.indexOf(version)
  const comes = version !== undefined && at < 0
  return { endsKernel: !comes && versions.slice(at + 1).includes(actual.running) }
}

export function packageClaim(name: string) {
  return { kind: 'package', key: packageSubject(name) }
}

async function capture(name: string, { packages }: HostHands): Promise<PackageBaseline> {
  const found = await packages.installed(name)
  return { name, version: found?.version ?? null, held: found?.held ?? false }
}

/** What was only looked for, others installed. A version that is neither ours nor the one before is what the host would have by now: it does not go back to an older one. */
async function recapturePackage(
  base: PackageBaseline,
  { spec, context }: { readonly spec: PackageSpec; readonly context: CaptureContext },
): Promise<PackageBaseline> {
  const found = await context.host.packages.installed(base.name)
  if (spec.ifInstalled && base.version === null && found) return { ...base, version: found.version, held: found.held }
  if (base.version === null || found === undefined || [base.version, spec.version].includes(found.version)) return base
  return { ...base, version: found.version }
}

/** A version that is named is held, unless the document says otherwise: nobody else is to upgrade it. */
function toSpec({ name, version, state = 'present', hold, ifInstalled }: HostPackage): PackageSpec {
  return { name, version, state, ifInstalled, held: hold ?? (version === undefined ? undefined : true) }
}
