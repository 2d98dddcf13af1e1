/** `npm run explore -- --nodes 3 --pools 2 --faults 2 [--scope NAME] [--states N] [--twins N]`: visits every state of small fleets. */
import { parseArgs } from 'node:util'
import { type Explored, explore, type Progress } from './explore.ts'
import { scopesOf } from './scope.ts'

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '2' },
    pools: { type: 'string', default: '1' },
    faults: { type: 'string', default: '1' },
    states: { type: 'string', default: '3000000' },
    scope: { type: 'string' },
    twins: { type: 'string' },
  },
})
const size = { nodes: number('nodes'), pools: number('pools'), faults: number('faults') }
const scopes = scopesOf(size).filter(({ name }) => values.scope === undefined || name === values.scope)
if (scopes.length === 0) throw new Error(`no scope "${values.scope}": ${scopesOf(size).map(({ name }) => name)}`)

for (const scope of scopes) {
  const began = performance.now()
  const onProgress = ({ faults, known, visited }: Progress): void =>
    console.error(`${scope.name}: ${visited} of ${known} known states visited, with ${faults} faults so far`)
  const explored = explore(scope, {
    mostStates: number('states'),
    onProgress,
    ...(values.twins !== undefined && { twins: number('twins') }),
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

function number(option: 'nodes' | 'pools' | 'faults' | 'states' | 'twins'): number {
  const text = values[option] ?? ''
  if (!/^\d{1,9}$/.test(text)) throw new Error(`read --${option} "${text}": it must be a number`)
  return Number(text)
}
