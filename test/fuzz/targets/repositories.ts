import { checkModel } from '../../../src/render/check-model.ts'
import { createRenderer } from '../../../src/render/create-renderer.ts'
import { type LoadResult, loadFleet } from '../../../src/repo/load-fleet.ts'
import { formatProblem } from '../../../src/repo/problem.ts'

const NODE = { name: 'n1', labels: { role: 'worker' }, arch: 'amd64', osImage: 'Linux', internalIP: '192.0.2.1' }

/** Files, each behind a line `#file PATH`. */
export function repositories(input: Buffer): void {
  const parts = input.toString('latin1').split(/^#file (.*)\n/m)
  const files = new Map<string, { readonly kind: 'file'; readonly bytes: Buffer }>()
  for (let at = 1; at + 1 < parts.length; at += 2)
    files.set(parts[at] ?? '', { kind: 'file', bytes: Buffer.from(parts[at + 1] ?? '', 'latin1') })
  for (const cluster of [undefined, 'staging']) judge(loadFleet(files, { cluster }))
}

function judge({ model, problems }: LoadResult): void {
  for (const problem of problems) formatProblem(problem)
  if (!model) return
  checkModel(model)
  const renderer = createRenderer(model)
  for (const pool of model.pools.keys()) renderer.render(pool, NODE)
}
