import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

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
/** Thresholds are read by a package that needs half of Kubernetes, and the proxy does not have all of that at every patch. */
export const WITH_EVICTION: readonly string[] = ['1.35.4', '1.36.3']
const SOURCES = ['dump.go', 'probe.go', 'verdict.go']

/** The program that dump.go begins, compiled against one version of the kubelet. @returns its path; it is compiled once. */
export function kubeletProgram(version: string, directory: string): string {
  const program = resolve(directory, `kubelet-knowledge-${version}`)
  if (existsSync(program)) return program
  mkdirSync(directory, { recursive: true })
  const module = mkdtempSync(join(tmpdir(), 'nodewave-kubelet-'))
  try {
    for (const file of WITH_EVICTION.includes(version) ? [...SOURCES, 'eviction.go'] : SOURCES)
      copyFileSync(join(import.meta.dirname, file), join(module, file))
    mkdirSync(join(module, 'stub/pkg/logs'), { recursive: true })
    writeFileSync(join(module, 'stub/go.mod'), `module ${STUB.path}\n`)
    writeFileSync(join(module, 'stub/pkg/logs/logs.go'), STUB.source)
    writeFileSync(join(module, 'go.mod'), moduleFile(version))
    go(module, ['build', '-o', program, '.'])
    return program
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
    env: { ...process.env, GOFLAGS: '-mod=mod -trimpath', CGO_ENABLED: '0' },
  })
}
