import { expect, test } from 'vitest'
import type { ClusterNode } from '../../../src/controller/cache/cluster-node.ts'
import { announceMembers, type MembersToAnnounce } from '../../../src/controller/payload-access/announce-members.ts'
import type { Action } from '../../../src/rollout/model/decision.ts'

const COMMON = { kind: 'kubelet', name: 'workers-kubelet-common' }
const OWN = { kind: 'host', name: 'workers-host-n2' }

function given(actions: readonly Action[], open: readonly string[]) {
  const members = ['n1', 'n2', 'n3'].map((name) => ({ name }) as ClusterNode)
  const payloads: Record<string, readonly object[]> = { n1: [COMMON], n2: [COMMON, OWN], n3: [] }
  const rendered = (({ name }: ClusterNode) => ({ payloads: payloads[name] })) as unknown as MembersToAnnounce['rendered']
  const announced: string[] = []
  const access = {
    unannounced: (readable: readonly string[]) => readable.filter((object) => open.includes(object)) as never,
    announce: (nodes: readonly { readonly name: string }[], object: string) =>
      void announced.push(`${object}: ${nodes.map(({ name }) => name).join(' ')}`),
  }
  announceMembers(access, { actions, members, rendered, nodes: new Map(members.map((node) => [node.name, node])) })
  return announced
}

function assign(node: string): Action {
  return { kind: 'assign', node, revision: 'r', digest: 'd', grant: 'restart', at: 0 }
}

test('an assignment announces each payload for the members that render to it', () => {
  const open = ['configmaps/workers-kubelet-common', 'configmaps/workers-host-n2']
  expect(given([assign('n2')], open)).toEqual(['configmaps/workers-kubelet-common: n1 n2', 'configmaps/workers-host-n2: n2'])
})

test('a payload that nodes do not share, or that was announced before, is not announced', () => {
  expect(given([assign('n2')], ['configmaps/workers-kubelet-common'])).toEqual(['configmaps/workers-kubelet-common: n1 n2'])
})

test('a pass that assigns nothing announces nothing', () => {
  expect(given([{ kind: 'clearReboot', node: 'n1' }], ['configmaps/workers-kubelet-common'])).toEqual([])
})
