import * as z from 'zod/mini'
import { HOST_SECTIONS, type HostUser } from '../../protocol/host-document.ts'
import { sshKeysFile } from '../../protocol/written-paths.ts'
import type { UserChange } from '../account-manager.ts'
import { AgentError } from '../agent-error.ts'
import { groupsOf, usersOf } from './account-files.ts'
import { defineKind } from './define-kind.ts'
import { file, fileClaim } from './file.ts'
import type { HostHands, Kind, Section } from './kind.ts'

const attributes = z.object({ shell: z.string(), home: z.string(), groups: z.array(z.string()) })
type Attributes = z.infer<typeof attributes>

/** Files belong to numbers: an account that is made again under others would lose its own, and own those of somebody else. */
const numbers = z.object({ uid: z.number(), primary: z.optional(z.object({ name: z.string(), gid: z.number() })) })

/** An account as it was; without attributes there was none. */
const userState = z.object({
  name: z.string(),
  attributes: z.optional(attributes),
  numbers: z.optional(numbers),
  hasGroup: z.optional(z.boolean()),
})
type UserState = z.infer<typeof userState>

export interface UserSpec extends UserChange {
  readonly name: string
  readonly uid?: number | undefined
  readonly group?: string | undefined
  readonly system?: boolean | undefined
  /** What it had when it was there last. */
  readonly numbers?: z.infer<typeof numbers> | undefined
  /** Undefined: it should be there. */
  readonly isGone?: boolean
  /** Whether the group of its name is to be there when the account is gone; undefined: as userdel leaves it. */
  readonly hasGroup?: boolean | undefined
}

interface ActualUser extends Attributes {
  readonly uid: number
  readonly gid: number
}

const NO_LOGIN = '/usr/sbin/nologin'

const section: Section = {
  key: 'users',
  schema: HOST_SECTIONS.users,
  managed: (users: readonly HostUser[]) => ({
    claims: users.flatMap(({ name, sshKeys }) => [
      { kind: 'user', key: name },
      ...(sshKeys ? [fileClaim(sshKeysFile(name))] : []),
    ]),
    triggers: [],
  }),
  resources: async (users: readonly HostUser[]) =>
    users.flatMap(({ sshKeys, ...spec }) => [user.of(spec), ...(sshKeys ? [keysOf(spec.name, sshKeys)] : [])]),
}

/** An account. Of one that was there before, only what is named is changed. */
export const user: Kind<UserSpec> = defineKind({
  name: 'user',
  version: 1,
  section,
  subject: ({ name }: UserSpec) => `user ${name}`,
  observe: async ({ name, uid, isGone }, host) => {
    const found = await find(name, host)
    if (found && !isGone && uid !== undefined && found.uid !== uid) throw otherNumber(name, { found: found.uid, wanted: uid })
    return found
  },
  differ: (spec, actual): UserSpec | undefined => {
    if (spec.isGone) return actual && spec
    return actual !== undefined && isAsWanted(actual, spec) ? undefined : spec
  },
  // After groups; taken away before them, and after what runs as the user was stopped.
  order: ({ isGone }) => (isGone ? 2 : -2),
  perform: async (spec, host) => (spec.isGone ? remove(spec, host) : make(spec, host)),

  undo: {
    // An account that was taken away comes back without its password.
    fidelity: 'best effort',
    schema: userState,
    leavesTrace: true,
    prepare: async ({ name }, { host }) => stateOf(name, host),
    perform: async (undo, host) => (undo.attributes ? make({ ...undo, ...undo.attributes }, host) : remove(undo, host)),
    isUndone: async ({ name, attributes: before }, host) => {
      const now = await find(name, host)
      return before === undefined ? now === undefined : now !== undefined && isAsWanted(now, before)
    },
  },

  baseline: {
    collection: 'users',
    schema: userState,
    key: ({ name }) => name,
    capture: async ({ key }, { host }) => stateOf(key, host),
    giveBack: async ({ name, attributes: before, numbers: had, hasGroup: hadGroup }, _, { claims }) => {
      if (before !== undefined) return user.of({ name, ...before, numbers: had })
      const keepsGroup = hadGroup === true || claims.some(({ kind, key }) => kind === 'group' && key === name)
      return user.of({ name, isGone: true, ...(keepsGroup && { hasGroup: true }) })
    },
  },
})

function keysOf(name: string, sshKeys: readonly string[]) {
  const bytes = Buffer.from(sshKeys.map((key) => `${key}\n`).join(''))
  return file.of({ path: sshKeysFile(name), content: { bytes }, mode: 0o644, uid: 0, gid: 0 })
}

async function find(name: string, { files }: Pick<HostHands, 'files'>): Promise<ActualUser | undefined> {
  const entry = (await usersOf(files)).find((one) => one.name === name)
  if (entry === undefined) return undefined
  const groups = (await groupsOf(files)).filter(({ members }) => members.includes(name)).map((group) => group.name)
  return { ...entry, groups: groups.toSorted() }
}

async function stateOf(name: string, host: HostHands): Promise<UserState> {
  const found = await find(name, host)
  if (found === undefined) return { name, hasGroup: (await groupOf(name, host)) !== undefined }
  const { uid, gid, shell, home, groups } = found
  const primary = (await groupsOf(host.files)).find((group) => group.gid === gid)
  return {
    name,
    attributes: { shell, home, groups: [...groups] },
    numbers: { uid, ...(primary && { primary: { name: primary.name, gid } }) },
  }
}

function isAsWanted(actual: Attributes, { shell, home, groups }: UserChange): boolean {
  const hasGroups = groups === undefined || [...new Set(groups)].toSorted().join() === actual.groups.join()
  return (shell ?? actual.shell) === actual.shell && (home ?? actual.home) === actual.home && hasGroups
}

async function make({ name, uid, group, system, numbers: had, ...spec }: UserSpec, host: HostHands): Promise<void> {
  const change = { shell: spec.shell, home: spec.home, groups: spec.groups }
  if ((await find(name, host)) !== undefined) return host.accounts.changeUser(name, change)
  if (had?.primary) await keepGroup(had.primary, host)
  const primary = group ?? had?.primary?.name ?? (await groupOf(name, host))?.name
  await host.accounts.addUser({ name, uid: uid ?? had?.uid, group: primary, system, ...change, shell: spec.shell ?? NO_LOGIN })
}

/** userdel takes the group of its name along, whoever made that. */
async function remove({ name, hasGroup }: Pick<UserSpec, 'name' | 'hasGroup'>, host: HostHands): Promise<void> {
  const before = await groupOf(name, host)
  if ((await find(name, host)) !== undefined) await host.accounts.removeUser(name)
  if (hasGroup === true && before !== undefined) await keepGroup(before, host)
  if (hasGroup === false && (await groupOf(name, host)) !== undefined) await host.accounts.removeGroup(name)
}

async function keepGroup({ name, gid }: { readonly name: string; readonly gid: number }, host: HostHands): Promise<void> {
  if ((await groupOf(name, host)) === undefined) await host.accounts.addGroup({ name, gid })
}

async function groupOf(name: string, { files }: Pick<HostHands, 'files'>) {
  return (await groupsOf(files)).find((group) => group.name === name)
}

function otherNumber(name: string, { found, wanted }: { readonly found: number; readonly wanted: number }): AgentError {
  return new AgentError(
    `make the user "${name}": it is there with uid ${found}, not ${wanted}; leave uid out, or take it away first`,
    {
      kind: 'validate',
      reason: 'AccountMismatch',
    },
  )
}
