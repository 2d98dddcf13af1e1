/**
 * Writes src/repo/kubelet-knowledge/generated/knowledge.json: what each kubelet minor knows of configuration fields, flags and
 * feature gates. Needs Go and its module proxy; compiles dump.go against every version, one at a time. Run again when a minor
 * comes out, after adding it to VERSIONS:
 *
 *     node scripts/kubelet-knowledge/generate.ts [DIRECTORY]
 *
 * DIRECTORY keeps one file a version, so that a version already there is not compiled again.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { combine, type Knowledge } from './combine.ts'

const VERSIONS = ['1.31.14', '1.32.13', '1.33.13', '1.34.4', '1.35.4', '1.36.3']
/**
 * A library that the proxy does not have at every patch, and of which the options only need two constants.
 * It defines neither flags nor fields nor gates.
 */
const STUB = {
  path: 'k8s.io/cri-client',
  versions: ['1.31.14', '1.32.13'],
  source: `package logs

const (
	RFC3339NanoFixed   = "2006-01-02T15:04:05.000000000Z07:00"
	RFC3339NanoLenient = "2006-01-02T15:04:05.999999999Z07:00"
)
`,
}
const OUTPUT = join(import.meta.dirname, '../../src/repo/kubelet-knowledge/generated/knowledge.json')

const cache = process.argv[2] ?? join(tmpdir(), 'nodewave-kubelet-knowledge')
mkdirSync(cache, { recursive: true })
const known = new Map(VERSIONS.map((version) => [version, knowledgeOf(version)]))
writeFileSync(OUTPUT, combine(known))

function knowledgeOf(version: string): Knowledge {
  const path = join(cache, `${version}.json`)
  if (!existsSync(path)) writeFileSync(path, dump(version))
  return JSON.parse(readFileSync(path, 'utf8'))
}

function dump(version: string): string {
  const module = mkdtempSync(join(tmpdir(), 'nodewave-dump-'))
  try {
    copyFileSync(join(import.meta.dirname, 'dump.go'), join(module, 'main.go'))
    mkdirSync(join(module, 'stub/pkg/logs'), { recursive: true })
    writeFileSync(join(module, 'stub/go.mod'), `module ${STUB.path}\n`)
    writeFileSync(join(module, 'stub/pkg/logs/logs.go'), STUB.source)
    writeFileSync(join(module, 'go.mod'), moduleFile(version))
    return go(module, ['run', '.'])
  } finally {
    rmSync(module, { recursive: true })
  }
}

/** Kubernetes replaces its libraries by folders that the module proxy does not have: the published ones stand in. */
function moduleFile(version: string): string {
  const { GoMod } = JSON.parse(go(tmpdir(), ['mod', 'download', '-json', `k8s.io/kubernetes@v${version}`])) as { GoMod: string }
  const staging = [...readFileSync(GoMod, 'utf8').matchAll(/^\s*(k8s\.io\/\S+) => \.\/staging\//gm)]
  const replacement = (path: string) =>
    path === STUB.path && STUB.versions.includes(version) ? './stub' : `${path} ${version.replace(/^1\./, 'v0.')}`
  return [
    'module nodewave.io/kubelet-knowledge',
    'go 1.26.0',
    `require k8s.io/kubernetes v${version}`,
    ...staging.map(([, path = '']) => `replace ${path} => ${replacement(path)}`),
  ].join('\n')
}

function go(cwd: string, args: readonly string[]): string {
  return execFileSync('go', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' },
  })
}
