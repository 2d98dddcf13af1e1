import * as z from 'zod/mini'
import { HOST_SECTIONS, type HostGroup } from '../../protocol/host-document.ts'
import { AgentError } from '../agent-error.ts'
import { groupsOf } from './account-files.ts'
import { defineKind } from './define-kind.ts'
import type { HostHands, Kind, Section } from './kind.ts'

const groupState = z.object({ name: z.string(), isThere: z.boolean() })

export interface GroupSpec {
  readonly name: string
  readonly gid?: number | undefined
  readonly system?: boolean | undefined
  /** Undefined: it should be there. */
  readonly isGone?: boolean
}

const section: Section = {
  key: 'groups',
  schema: HOST_SECTIONS.groups,
  managed: (groups: readonly HostGroup[]) => ({
    claims: groups.map(({ name }) => ({ kind: 'group', key: name })),
    triggers: [],
  }),
  resources: async (groups: readonly HostGroup[]) => groups.map((spec) => group.of(spec)),
}

/** A group of accounts. One that was there before is never changed, nor taken away. */
export const group: Kind<GroupSpec> = defineKind({
  name: 'group',
  version: 1,
  section,
  subject: ({ name }: GroupSpec) => `group ${name}`,
  observe: async ({ name, gid, isGone }, host) => {
    const found = await find(name, host)
    if (found && !isGone && gid !== undefined && found.gid !== gid) throw otherNumber(name, { found: found.gid, wanted: gid })
    return found
  },
  differ: (spec, actual): GroupSpec | undefined => ((actual === undefined) === (spec.isGone === true) ? undefined : spec),
  // Before users; taken away after them.
  order: ({ isGone }) => (isGone ? 3 : -3),
  perform: async ({ isGone, ...spec }, host) => (isGone ? remove(spec.name, host) : add(spec, host)),

  undo: {
    fidelity: 'exact',
    schema: z.object({ name: z.string(), isThere: z.boolean(), gid: z.optional(z.number()) }),
    leavesTrace: true,
    prepare: async ({ name }, { host }) => {
      const found = await find(name, host)
      return { name, isThere: found !== undefined, ...(found && { gid: found.gid }) }
    },
    perform: ({ name, isThere, gid }, host) => (isThere ? add({ name, gid }, host) : remove(name, host)),
    isUndone: async ({ name, isThere }, host) => ((await find(name, host)) !== undefined) === isThere,
  },

  baseline: {
    collection: 'groups',
    schema: groupState,
    key: ({ name }) => name,
    capture: async ({ key }, { host }) => ({ name: key, isThere: (await find(key, host)) !== undefined }),
    giveBack: async ({ name, isThere }) => group.of({ name, isGone: !isThere }),
  },
})

async function find(name: string, { files }: Pick<HostHands, 'files'>) {
  return (await groupsOf(files)).find((entry) => entry.name === name)
}

async function add(spec: GroupSpec, host: HostHands): Promise<void> {
  if ((await find(spec.name, host)) === undefined) await host.accounts.addGroup(spec)
}

async function remove(name: string, host: HostHands): Promise<void> {
  if ((await find(name, host)) !== undefined) await host.accounts.removeGroup(name)
}

function otherNumber(name: string, { found, wanted }: { readonly found: number; readonly wanted: number }): AgentError {
  return new AgentError(
    `make the group "${name}": it is there with gid ${found}, not ${wanted}; leave gid out, or take it away first`,
    {
      kind: 'validate',
      reason: 'AccountMismatch',
    },
  )
}
