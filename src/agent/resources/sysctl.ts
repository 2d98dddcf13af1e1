import * as z from 'zod/mini'
import { KERNEL_SECTIONS } from '../../protocol/kernel-sections.ts'
import { sysctlPath } from '../../protocol/sysctl-name.ts'
import { sysctlExcludedBy, sysctlRefusal, sysctlsAlong, sysctlWords } from '../../protocol/sysctl-rules.ts'
import { sysctlSubject } from '../../protocol/written-paths.ts'
import { AgentError } from '../agent-error.ts'
import type { Kernel } from '../kernel.ts'
import type { Managed } from '../state/managed.ts'
import { defineKind } from './define-kind.ts'
import type { Kind, Section } from './kind.ts'
import { SYSCTL_FILE, sysctlFile } from './sysctl-file.ts'

const sysctlState = z.object({
  name: z.string(),
  /** Null: the host has no such setting, or whatever value it has is nobody's concern. */
  value: z.nullable(z.string()),
  /** Of a state that is given back: what the kernel changes along with it. */
  along: z.optional(z.readonly(z.array(z.object({ name: z.string(), value: z.string() })))),
})
type SysctlState = z.infer<typeof sysctlState>
type SysctlChange = SysctlState & { readonly value: string }

const section: Section = {
  key: 'sysctls',
  schema: KERNEL_SECTIONS.sysctls,
  managed: (sysctls: Readonly<Record<string, string>>) => {
    refuseHarmful(sysctls)
    const claims = Object.keys(sysctls).map((name) => ({ kind: 'sysctl', key: sysctlSubject(name) }))
    return { claims: [...claims, { kind: 'sysctl-file', key: SYSCTL_FILE }], triggers: [] }
  },
  resources: async (sysctls: Readonly<Record<string, string>>) => [
    ...Object.entries(sysctls).map(([name, value]) => sysctl.of({ name, value })),
    sysctlFile.of({ sysctls }),
  ],
}

/** A setting of the running kernel; what it is after a boot is the affair of the file. */
export const sysctl: Kind<SysctlState> = defineKind({
  name: 'sysctl',
  version: 1,
  section,
  subject: ({ name }: SysctlState) => sysctlSubject(name),
  observe: ({ name }, { kernel }) => read(name, kernel),
  differ: ({ value, ...spec }, actual): SysctlChange | undefined =>
    value === null || (actual !== undefined && isSame(value, actual)) ? undefined : { ...spec, value },

  // It counts at once, for whatever runs; a value that was proved disturbs nobody who had it.
  disruption: () => 'restart',
  repairDisruption: () => 'none',
  perform: (change, { kernel }) => set(change, kernel),
  proof: {
    of: ({ name, value }) => ({ name, value }),
    complaint: async (data, { kernel }) => {
      const { name, value } = sysctlState.parse(data)
      const found = await read(name, kernel)
      if (value === null || (found !== undefined && isSame(value, found))) return undefined
      return `sysctl "${name}" is "${found ?? ''}", not "${value}": something else on the host sets it`
    },
  },

  undo: {
    fidelity: 'exact',
    schema: sysctlState,
    // A boot, and anybody, may set it.
    leavesTrace: false,
    prepare: async ({ name }, { host }) => stateOf(name, host.kernel),
    perform: async ({ value, along = [], ...undone }, { kernel }) => {
      if (value !== null && !(await has({ ...undone, value }, kernel))) await set({ ...undone, value, along }, kernel)
      else await setAlong(along, kernel)
    },
    isUndone: async ({ name, value, along = [] }, { kernel }) => {
      for (const state of [...along, { name, value }]) if (!(await has(state, kernel))) return false
      return true
    },
  },

  baseline: {
    collection: 'sysctls',
    schema: sysctlState,
    key: ({ name }) => sysctlSubject(name),
    capture: ({ key }, { host }) => stateOf(key.slice(sysctlSubject('').length), host.kernel),
    giveBack: async (base, _, managed) => sysctl.of(withoutClaimed(base, managed)),
  },
})

/** What Git says of a setting that goes with this one, or excludes it, is not overwritten. */
function withoutClaimed({ along, ...base }: SysctlState, { claims }: Managed): SysctlState {
  const isClaimed = (name: string) => claims.some(({ kind, key }) => kind === 'sysctl' && key === sysctlSubject(name))
  const other = sysctlExcludedBy(base.name)
  if (other !== undefined && isClaimed(other)) return { ...base, value: null }
  return { ...base, ...(along && { along: along.filter(({ name }) => !isClaimed(name)) }) }
}

async function stateOf(name: string, kernel: Kernel): Promise<SysctlState> {
  const along: { name: string; value: string }[] = []
  for (const other of sysctlsAlong(name)) {
    const value = await read(other, kernel)
    if (value !== undefined) along.push({ name: other, value })
  }
  return { name, value: (await read(name, kernel)) ?? null, ...(along.length === 0 ? {} : { along }) }
}

/** One that is gone went with its module. */
async function has({ name, value }: Pick<SysctlState, 'name' | 'value'>, kernel: Kernel): Promise<boolean> {
  const found = await read(name, kernel)
  return value === null || found === undefined || isSame(value, found)
}

async function setAlong(along: NonNullable<SysctlState['along']>, kernel: Kernel): Promise<void> {
  for (const state of along) if (!(await has(state, kernel))) await set(state, kernel)
}

async function read(name: string, kernel: Kernel): Promise<string | undefined> {
  return kernel.readSysctl(sysctlPath(name)).catch((cause: unknown) => {
    throw refused(`read sysctl "${name}": ${(cause as Error).message}; it cannot be managed`, cause)
  })
}

/** A kernel may take a value and make another of it: tried again at every look, it would never come true. */
async function set({ name, value, along = [] }: SysctlChange, kernel: Kernel): Promise<void> {
  try {
    await kernel.writeSysctl(sysctlPath(name), value)
  } catch (cause) {
    if ((await read(name, kernel)) === undefined) throw unknown(name, { release: await kernel.release(), cause })
    // Of two that exclude each other, the kernel takes no zero for some: the value of the other one makes it zero.
    if (!(await has({ name, value }, kernel))) await setAlong(along, kernel)
    if (along.length > 0 && (await has({ name, value }, kernel))) return
    throw refused(`set sysctl "${name}" to "${value}": the kernel refuses it: ${(cause as Error).message}${hintOf(cause)}`, cause)
  }
  const found = (await read(name, kernel)) ?? ''
  if (!isSame(value, found))
    throw refused(`set sysctl "${name}" to "${value}": the kernel made "${sysctlWords(found)}" of it; name what it can be`)
  await setAlong(along, kernel)
}

/** The unit of an older release hides them from the agent. */
function hintOf(cause: unknown): string {
  const isReadOnly = (cause as NodeJS.ErrnoException).code === 'EROFS'
  return isReadOnly ? '; install the unit of this release of the agent; in a container, most settings are read-only' : ''
}

function unknown(name: string, { release, cause }: { readonly release: string; readonly cause: unknown }): AgentError {
  return new AgentError(
    `set sysctl "${name}": kernel ${release} has no such setting; correct the name, or list the module that brings it under kernelModules`,
    { kind: 'validate', reason: 'SysctlUnknown', cause },
  )
}

function refused(message: string, cause?: unknown): AgentError {
  return new AgentError(message, { kind: 'validate', reason: 'SysctlRefused', cause })
}

function refuseHarmful(sysctls: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(sysctls)) {
    const refusal = sysctlRefusal(name, value)
    if (refusal !== undefined) throw refused(`set sysctl "${name}" to "${value}": ${refusal.because}; ${refusal.remedy}`)
  }
}

/** The kernel shows several values with tabs between. */
function isSame(a: string, b: string): boolean {
  return sysctlWords(a) === sysctlWords(b)
}
