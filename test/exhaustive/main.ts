/** `npm run explore`: visits every state of small fleets. */

import { commandLine, numberOption } from '../command-line.ts'
import { type Explored, explore, type Progress } from './explore.ts'
import { scopesOf } from './scope.ts'

interface Options {
  readonly nodes: number
  readonly pools: number
  readonly faults: number
  readonly states: number
  readonly scope?: string
  readonly twins?: number
}

const command = commandLine(
  'explore',
  'Every state that a small fleet can reach.',
  '--nodes 3 --pools 2 --faults 1 --scope depends',
)
  .addOption(numberOption('--nodes <count>', 'nodes of the fleet').default(2))
  .addOption(numberOption('--pools <count>', 'their pools').default(1))
  .addOption(numberOption('--faults <count>', 'how often each fault happens at most').default(1))
  .addOption(numberOption('--states <count>', 'stop at so many').default(3_000_000))
  .option('--scope <name>', 'one of the scopes of that size')
  .addOption(numberOption('--twins <count>', 'decide every such state that is found again, and compare'))
  .parse()
const { states, scope: asked, twins, ...size } = command.opts<Options>()
const names = scopesOf(size).map(({ name }) => name)
if (asked !== undefined && !names.includes(asked))
  command.error(`error: no scope "${asked}" has ${size.nodes} nodes and ${size.pools} pools: ${names.join('; ')}`)
const scopes = scopesOf(size).filter(({ name }) => asked === undefined || name === asked)

for (const scope of scopes) {
  const began = performance.now()
  const onProgress = ({ faults, known, visited }: Progress): void =>
    console.error(`${scope.name}: ${visited} of ${known} known states visited, with ${faults} faults so far`)
  const explored = explore(scope, {
    mostStates: states,
    onProgress,
    ...(twins !== undefined && { twins }),
  })
  console.log(`${scope.name}: ${describe(explored)} in ${((performance.now() - began) / 1000).toFixed(1)} s`)
  if (explored.wrong) {
    console.log(['', ...explored.wrong.story.map((event) => `  ${event}`), `  wrong: ${explored.wrong.claim}`, ''].join('\n'))
    process.exitCode = 1
  }
}

function describe({ states, events, atRest, twins, complete, wrong }: Explored): string {
  const extent = wrong ? 'until the first wrong one' : complete ? 'all of them' : 'stopped at the limit'
  const compared = twins > 0 ? `, ${twins} of those found again compared` : ''
  return `${states} states (${extent}), ${events} events, ${atRest} at rest${compared}`
}
