import { expect } from 'vitest'
import type { RepoFile } from '../../src/protocol/repo-snapshot.ts'
import { createRenderer } from '../../src/render/create-renderer.ts'
import type { RenderedNode } from '../../src/render/instantiate.ts'
import type { NodeFacts } from '../../src/render/node-facts.ts'
import { loadFleet } from '../../src/repo/load-fleet.ts'
import type { FleetModel } from '../../src/repo/model.ts'

/** Documents by kind and name; each becomes a file `<Kind>-<name>.yaml` whose spec begins in line 5. */
export type Documents = Readonly<Record<string, string>>

/** A fleet from the text of specs: `{'NodePool workers': 'nodeSelector: …'}`. A Fleet is there of itself. */
export function aFleet(documents: Documents, attachments: Readonly<Record<string, string | Uint8Array>> = {}): FleetModel {
  const specs = { 'Fleet fleet': '{}', ...documents }
  const files = new Map<string, RepoFile>(
    Object.entries(specs).map(([heading, spec]) => {
      const [kind, name] = heading.split(' ')
      const text = `apiVersion: nodewave.io/v1alpha1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec:\n${spec.replace(/^/gm, '  ')}\n`
      return [`${kind}-${name}.yaml`, { kind: 'file', bytes: Buffer.from(text) }]
    }),
  )
  for (const [path, content] of Object.entries(attachments)) files.set(path, { kind: 'file', bytes: Buffer.from(content) })
  const { model, problems } = loadFleet(files)
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
  if (model === undefined) throw new Error('load the fleet of this test: there is no model')
  return model
}

export function aNode(name: string, facts: Partial<NodeFacts> = {}): NodeFacts {
  return {
    name,
    labels: { role: 'worker' },
    arch: 'amd64',
    osImage: 'Debian GNU/Linux 12 (bookworm)',
    internalIP: '10.0.0.1',
    ...facts,
  }
}

export const WORKERS = 'nodeSelector: {matchLabels: {role: worker}}'

/** Renders one node, which must be possible. */
export function rendered(model: FleetModel, node: NodeFacts, pool = 'workers'): RenderedNode {
  const result = createRenderer(model).render(pool, node)
  if (!result.ok) throw new Error(`render the node of this test: ${result.problems.map(({ message }) => message).join('; ')}`)
  return result
}

/** Messages with their places, of a node that cannot be rendered. */
export function refusals(model: FleetModel, node: NodeFacts, pool = 'workers'): string[] {
  const result = createRenderer(model).render(pool, node)
  if (result.ok) throw new Error('refuse the node of this test: it was rendered')
  return result.problems.map(({ message, where }) =>
    [message, ...where.map(({ file, line, column }) => `${file}:${line}:${column}`)].join(' | '),
  )
}
