import { parse } from 'yaml'
import { kubeletDocument } from '../../agent/kubelet/kubelet-document.ts'
import { flagsToAdd, isSameFlags, joinFlags } from '../../agent/kubelet/kubelet-flags.ts'
import type { PoolDescription } from '../../import/describe-pool.ts'
import type { ImportSubject } from '../../import/subject.ts'
import { canonicalJson, type Json, type NodeContent } from '../../protocol/digest.ts'
import { formatFlagString } from '../../protocol/flag-string.ts'
import type { HostInventory } from '../../protocol/host-inventory.ts'
import { createRenderer } from '../../render/create-renderer.ts'
import type { FleetModel } from '../../repo/model.ts'

export interface FoundChange {
  readonly node: string
  readonly what: string
}

/** What the agents would change of the hosts: the files that were written, against the hosts as they are, by the agent's own rules. */
export function findChanges(
  model: FleetModel,
  { subjects, pools }: { readonly subjects: readonly ImportSubject[]; readonly pools: readonly PoolDescription[] },
): FoundChange[] {
  const renderer = createRenderer(model)
  return subjects.flatMap((subject) => {
    const { name, internalIP, labels } = subject.node
    const pool = pools.find(({ missingOn }) => missingOn.includes(name))
    const node = {
      name,
      labels: { ...labels, ...pool?.matchLabels },
      arch: subject.inventory?.arch ?? '',
      osImage: '',
      internalIP,
    }
    const owner = renderer.poolOf(node)
    if (owner.kind !== 'owned')
      return [{ node: name, what: owner.kind === 'contested' ? owner.problem.message : 'no pool selects it' }]
    const result = renderer.render(owner.pool, node)
    const found = result.ok ? changesOf(result.content, subject.inventory) : result.problems.map(({ message }) => message)
    return found.map((what) => ({ node: name, what }))
  })
}

function changesOf(content: NodeContent, inventory: HostInventory | undefined): string[] {
  if (inventory === undefined) return []
  return [...configChange(content, inventory), ...flagsChange(content, inventory)]
}

function configChange({ config }: NodeContent, { kubelet }: HostInventory): string[] {
  if (config === undefined) return []
  const { text = '' } = kubelet.config ?? {}
  const { document } = kubeletDocument(config, { mode: 'overlay', local: Buffer.from(text) })
  const isSame = canonicalJson(document as Json) === canonicalJson((parse(text) ?? {}) as Json)
  return isSame ? [] : ['the kubelet configuration']
}

function flagsChange({ flags, opts }: NodeContent, { kubelet }: HostInventory): string[] {
  const ours = joinFlags(flags, opts)
  if (ours === '') return []
  const source = kubelet.flags.find(({ variable }) => variable !== 'KUBELET_KUBEADM_ARGS')
  const local = formatFlagString(source?.args ?? [])
  const isSame = kubelet.layout === 'kubeadm' ? flagsToAdd(local, ours) === '' : isSameFlags(local, ours)
  return isSame ? [] : ['the flags of the kubelet']
}
