/**
 * Fails when a folder under src/ imports one that the architecture does not let it see, when files import each other in a circle, and
 * when a folder of src/rollout or src/controller imports one that comes later in its order.
 * The table is the one in docs/architecture.md: imports go one way, so that the agent can never
 * reach rollout code nor the controller host code.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { CONTROLLER_STEPS, importsAgainst, ROLLOUT_STEPS } from './folder-order.ts'
import { circlesIn } from './import-circles.ts'

const ALL = [
  'protocol',
  'calendar',
  'gitsync',
  'repo',
  'render',
  'import',
  'rollout',
  'controller',
  'agent',
  'forge',
  'notify',
  'remote',
  'kube',
  'http',
  'sim',
  'dashboard',
  'simulate',
  'demo',
  'cli',
]

const MAY_IMPORT: Record<string, readonly string[]> = {
  protocol: [],
  calendar: [],
  gitsync: ['protocol'],
  repo: ['protocol', 'calendar'],
  render: ['repo', 'protocol'],
  import: ['repo', 'render', 'protocol'],
  rollout: ['protocol', 'calendar'],
  controller: ['protocol', 'calendar', 'gitsync', 'repo', 'render', 'rollout', 'forge', 'notify', 'remote', 'kube', 'http'],
  agent: ['kube', 'protocol'],
  forge: ['protocol', 'remote', 'http'],
  notify: ['protocol', 'remote'],
  remote: ['protocol'],
  kube: [],
  http: [],
  sim: ['kube', 'protocol', 'agent'],
  dashboard: ['protocol', 'http'],
  simulate: ['protocol', 'calendar', 'repo', 'render', 'rollout', 'controller', 'kube', 'sim'],
  demo: ALL,
  cli: ALL,
}

/** Stages that decide and never act: they may not touch the outside world, so none of Node's I/O modules either. */
const PURE = ['protocol', 'calendar', 'render', 'import', 'rollout']
const PURE_MAY_USE = ['node:crypto', 'node:zlib', 'node:util']

/** What the agent must not load: it runs on every node, and these cost megabytes. src/kube/node-http.ts has what node:http is wanted for. */
const NEVER_IN_AGENT = [
  ...['@kubernetes/client-node', 'zod', 'isomorphic-git', 'chokidar', 'commander', 'node-cron', 'node:http'],
  'age-encryption',
]

const root = join(import.meta.dirname, '..')
const problems: string[] = []

for (const file of globSync('src/**/*.ts', { cwd: root })) {
  const folder = file.split('/')[1] ?? ''
  for (const target of importsOf(join(root, file))) {
    const problem = judge(folder, file, target)
    if (problem) problems.push(`${file}: ${problem}`)
  }
}
for (const found of reachable('src/cli/agent.ts')) {
  if (NEVER_IN_AGENT.includes(found.target)) problems.push(`${found.file}: the agent's entry reaches "${found.target}"`)
}
const graph = ownImports()
for (const circle of circlesIn(graph)) problems.push(`${circle.join(' → ')}: a circle`)
problems.push(...importsAgainst(ROLLOUT_STEPS, { root: 'src/rollout', graph }))
problems.push(...importsAgainst(CONTROLLER_STEPS, { root: 'src/controller', graph }))

if (problems.length > 0) {
  console.error(problems.sort().join('\n'))
  console.error(
    `\n${problems.length} imports break the layering; scripts/check-imports.ts has the table, scripts/folder-order.ts the orders of src/rollout and src/controller.`,
  )
  process.exit(1)
}

function judge(folder: string, file: string, target: string): string | undefined {
  if (target.startsWith('.')) {
    const to = relative(root, normalize(join(root, dirname(file), target))).split('/')
    if (to[0] !== 'src' || to[1] === folder) return undefined
    const allowed = MAY_IMPORT[folder]
    if (!allowed) return `src/${folder}/ is not in the table`
    return allowed.includes(to[1] ?? '') ? undefined : `${folder} may not import ${to[1]} (${target})`
  }
  if (PURE.includes(folder) && target.startsWith('node:') && !PURE_MAY_USE.includes(target))
    return `${folder} is pure and may not use ${target}`
  return undefined
}

/** Static and dynamic imports, and those of types: what a folder must not know is no type of its own. */
function importsOf(path: string): string[] {
  const source = readFileSync(path, 'utf8')
  const pattern =
    /^\s*(?:import|export)\s[^'"]*?from\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm
  return [...source.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? match[3] ?? '').filter(Boolean)
}

/** What every file of ours needs before it can be understood: types too. What is loaded only when it is asked for is no part of it. */
function ownImports(): Map<string, readonly string[]> {
  const pattern = /^\s*(?:import|export)\s[^'"]*?from\s*['"](\.[^'"]+)['"]/gm
  const pathsIn = (file: string): string[] => {
    const source = readFileSync(join(root, file), 'utf8')
    return [...source.matchAll(pattern)].map(([, target = '']) => normalize(join(dirname(file), target)))
  }
  return new Map(globSync('src/**/*.ts', { cwd: root }).map((file) => [file, pathsIn(file)]))
}

/** Every module that loading `entry` would load, without following dynamic imports. */
function* reachable(entry: string): Generator<{ file: string; target: string }> {
  const seen = new Set<string>()
  const queue = [entry]
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    if (seen.has(file)) continue
    seen.add(file)
    for (const target of staticImports(file)) {
      if (target.startsWith('.')) queue.push(relative(root, normalize(join(root, dirname(file), target))))
      else yield { file, target }
    }
  }
}

function staticImports(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8')
  const pattern = /^\s*(?:import|export)\s(?!type\s)[^'"]*?from\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]/gm
  return [...source.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? '').filter(Boolean)
}
