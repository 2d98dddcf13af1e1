/**
 * Runs every suite in turn and adds up what they say. A suite that dies without counting is a failure of its own:
 * silence must never read as success.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Count, countReport } from './vitest-report.ts'

interface Suite {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  readonly env?: Readonly<Record<string, string>>
  readonly prepare?: () => void
  /** Minutes after which the suite is stopped and counts as failed. */
  readonly limit: number
  /** Reads the counts from what the suite printed. */
  readonly count: (output: string) => Count | undefined
}

const root = join(import.meta.dirname, '..')
const reports = mkdtempSync(join(tmpdir(), 'nodewave-ci-'))

const suites: readonly Suite[] = [
  { ...vitestSuite('unit', ['npm', 'test']), prepare: installPackages },
  { name: 'demo', command: ['npm', 'run', 'demo', '--', '-o', 'json'], limit: 5, count: countScenes },
  { name: 'site, with its links', command: ['npm', 'run', 'site'], limit: 10, count: countSite },
  vitestSuite('contract on a real API server', ['node', 'test/e2e/apiserver.ts', '--', 'npx', 'vitest', 'run', 'test/contract']),
  { name: 'e2e', command: ['npm', 'run', 'e2e'], limit: 65, count: countLastLine },
]

/** What the real cluster of the last two suites and the tests with real apt need, by its Debian packages. */
const PACKAGES =
  'debootstrap systemd-container iproute2 openssl dpkg-dev apt-utils gnupg gcc libc6-dev libseccomp-dev pkg-config busybox-static'

let total = { passed: 0, failed: 0 }
const failures: string[] = []
requireReadme(['npm ci && npm run demo', 'npm ci && npm test'])
for (const suite of suites) {
  suite.prepare?.()
  const started = performance.now()
  const count = await run(suite)
  total = { passed: total.passed + count.passed, failed: total.failed + count.failed }
  failures.push(...(count.failures ?? []).map((line) => `FAILED ${suite.name}: ${line}`))
  console.log(
    `\n== ${suite.name}: ${count.passed} passed, ${count.failed} failed, ${Math.round((performance.now() - started) / 1000)} s\n`,
  )
}
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1
for (const line of failures) console.log(line)
console.log(`${total.passed} passed, ${total.failed} failed`)

function vitestSuite(name: string, command: readonly [string, ...string[]], env: Readonly<Record<string, string>> = {}): Suite {
  const report = join(reports, `${name.replaceAll(' ', '-')}.json`)
  return { name, command, limit: 25, env: { ...env, NODEWAVE_TEST_REPORT: report }, count: () => countReport(report) }
}

function countScenes(output: string): Count | undefined {
  const last = output.trimEnd().split('\n').at(-1) ?? ''
  try {
    const { scenes } = JSON.parse(last) as { scenes: readonly { ok: boolean }[] }
    return { passed: scenes.filter((scene) => scene.ok).length, failed: scenes.filter((scene) => !scene.ok).length }
  } catch {
    return undefined
  }
}

function countSite(output: string): Count | undefined {
  return output.includes('build complete') ? { passed: 1, failed: 0 } : undefined
}

/** `12 passed, 0 failed`, as the last line that reads so. */
function countLastLine(output: string): Count | undefined {
  const [, passed, failed] = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1) ?? []
  const failures = [...output.matchAll(/^FAILED (\S+: .*)$/gm)].map(([, line = '']) => line)
  return passed === undefined ? undefined : { passed: Number(passed), failed: Number(failed), failures }
}

/** On a machine of ours to furnish; elsewhere the suites say what is missing, and fail. */
function installPackages(): void {
  if (process.getuid?.() !== 0) return
  const apt = (...args: string[]): void =>
    void spawnSync('apt-get', ['-qq', '-o', 'Dpkg::Use-Pty=0', ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  apt('update')
  apt('install', '--yes', '--no-install-recommends', ...PACKAGES.split(' '))
}

/** The suite's own counts; a non-zero exit, or none at all, is at least one failure. */
async function run(suite: Suite): Promise<Count> {
  console.log(`== ${suite.name}: ${suite.command.join(' ')}`)
  const { code, output } = await execute(suite)
  const count = suite.count(output) ?? { passed: 0, failed: 1 }
  return code === 0 ? count : { ...count, failed: Math.max(1, count.failed) }
}

function execute(suite: Suite): Promise<{ code: number; output: string }> {
  const [program, ...args] = suite.command
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...suite.env },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: suite.limit * 60_000,
    killSignal: 'SIGTERM',
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk)
    output += chunk.toString()
  })
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: 1, output: String(error) }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/** The commands a newcomer is told to run are the ones that run here. */
function requireReadme(commands: readonly string[]): void {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const missing = commands.filter((command) => !readme.includes(command))
  if (missing.length === 0) return
  console.error(`README.md no longer shows: ${missing.join('; ')}`)
  process.exit(1)
}
