import { parse } from 'yaml'
import { failsOnCgroupV1, type KubeletStart, saysFailCgroupV1 } from '../protocol/cgroup-version.ts'
import type { NodeContent } from '../protocol/digest.ts'
import { splitFlagString } from '../protocol/flag-string.ts'
import { isJsonObject } from '../protocol/merge-patch.ts'
import type { PlannedNode } from './node-facts.ts'

interface ChangedNode {
  readonly node: PlannedNode
  readonly content: NodeContent
}

/**
 * Names of the nodes with cgroup v1 on which the planned kubelet ends at once. What Git leaves out, the host may have: a kubelet that
 * runs there now, though it would end by default, has it.
 */
export function cgroupFailures(changed: readonly ChangedNode[]): string[] {
  const said = new Map<NodeContent, boolean | undefined>()
  const sayOf = (content: NodeContent): boolean | undefined => {
    if (!said.has(content)) said.set(content, saysFailCgroupV1(startOf(content)))
    return said.get(content)
  }
  return changed
    .filter(({ node, content }) => node.cgroup === 'v1' && (sayOf(content) ?? failsByDefault(content, node)))
    .map(({ node }) => node.name)
}

function failsByDefault({ version }: NodeContent, { kubeletVersion: running = '' }: PlannedNode): boolean {
  return fails(version ?? running) && !fails(running)
}

function fails(version: string): boolean {
  return failsOnCgroupV1({ version, args: [], document: {} })
}

function startOf({ flags = '', opts = '', config = '' }: NodeContent): Omit<KubeletStart, 'version'> {
  const document: unknown = parse(config, { uniqueKeys: false })
  return { args: splitFlagString(`${flags} ${opts}`), document: isJsonObject(document) ? document : {} }
}
