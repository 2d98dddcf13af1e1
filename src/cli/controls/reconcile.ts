import type { Command } from 'commander'
import { POOL_CONTROLS } from '../../protocol/names.ts'
import type { CliIo } from '../cli-io.ts'
import { type Intent, runVerb, type VerbFlags, verbCommand } from './verb.ts'
import { type ControlView, poolNamed } from './view.ts'

export function reconcileCommand(io: CliIo): Command {
  return verbCommand('reconcile')
    .description('make the controller fetch the repository now, before its next poll')
    .argument('[pool]', 'record the request on this pool only')
    .addHelpText('after', '\nExample:\n  $ git push && nodewave reconcile')
    .action((pool: string | undefined, flags: VerbFlags) => runVerb(io, flags, (view) => intend(view, pool)))
}

function intend({ pools, by }: ControlView, pool: string | undefined): Intent {
  const names = pool === undefined ? pools.map(({ name }) => name) : [poolNamed(pools, pool).name]
  if (names.length === 0)
    throw new Error('there are no pools to record the request on: check whether a controller has accepted a commit')
  return {
    says: 'the controller fetches the repository',
    writes: names.map((name) => ({ on: { kind: 'NodePool', name }, annotation: POOL_CONTROLS.reconcileAt, value: by.at })),
    awaits: names.map((name) => ({ pool: name, action: 'Reconcile' })),
  }
}
