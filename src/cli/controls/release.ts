import type { Command } from 'commander'
import { namesFor } from '../../protocol/names.ts'
import type { CliIo } from '../cli-io.ts'
import { counted, nameList } from '../paint.ts'
import { awaitsOf, prefixOption } from './hold.ts'
import { nodesNamed } from './nodes.ts'
import { type Intent, runVerb, type VerbFlags, verbCommand } from './verb.ts'
import type { ControlView } from './view.ts'

interface Flags extends VerbFlags {
  readonly annotationPrefix: string
}

export function releaseCommand(io: CliIo): Command {
  return verbCommand('release')
    .description('include held nodes in rollouts again')
    .argument('<nodes...>')
    .addOption(prefixOption())
    .addHelpText('after', '\nExample:\n  $ nodewave release worker-3 worker-7')
    .action((names: readonly string[], flags: Flags) => runVerb(io, flags, (view) => intend(view, names, flags)))
}

async function intend({ kube }: ControlView, names: readonly string[], { annotationPrefix }: Flags): Promise<Intent> {
  const { hold } = namesFor(annotationPrefix)
  const nodes = await nodesNamed(kube, { names, prefix: annotationPrefix })
  const held = nodes.filter((node) => node.hold !== undefined)
  if (held.length === 0) return { says: `not held: ${nameList(nodes.map(({ name }) => name))}`, writes: [], awaits: [] }
  return {
    says: `${counted(held.length, 'node')} released: ${nameList(held.map(({ name }) => name))}`,
    writes: held.map(({ name }) => ({ on: { kind: 'Node', name }, annotation: hold, value: null })),
    awaits: awaitsOf(held, 'Release'),
  }
}
