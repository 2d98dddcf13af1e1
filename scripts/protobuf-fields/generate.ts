/**
 * Writes src/sim/apiserver/generated/protobuf-fields.json: the number that protobuf has for each field of the kinds that the embedded
 * API server serves, from the Go types of Kubernetes; and test/sim/apiserver/protobuf/fixtures/vectors.json: objects of the own tests of
 * k8s.io/api, in protobuf and in JSON. Needs Go and its module proxy. Run again after a change of KUBERNETES_VERSION or of the kinds:
 *
 *     node scripts/protobuf-fields/generate.ts
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KUBERNETES_VERSION } from '../../src/sim/apiserver/discovery/version.ts'
import { Registry } from '../../src/sim/apiserver/resources/registry.ts'
import { groupVersion } from '../../src/sim/apiserver/resources/resource-type.ts'

const ROOT = join(import.meta.dirname, '../..')
const LIBRARY_VERSION = KUBERNETES_VERSION.replace(/^v1\./, 'v0.')
/** What is sent, but is no resource. */
const BODIES = ['policy/v1/Eviction', 'v1/DeleteOptions']
/** Their test objects are large, and nearly all of it is the template of a pod, which Job has, too. */
const WITHOUT_VECTOR = ['Deployment', 'DaemonSet', 'ReplicaSet', 'StatefulSet', 'CronJob', 'Pod']

interface Fields {
  readonly roots: Readonly<Record<string, string>>
  readonly messages: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const kinds = [...new Registry().all().map((type) => `${groupVersion(type)}/${type.kind}`), ...BODIES].toSorted()
writeFileSync(join(ROOT, 'src/sim/apiserver/generated/protobuf-fields.json'), linesOf(dump(kinds)))
writeFileSync(join(ROOT, 'test/sim/apiserver/protobuf/fixtures/vectors.json'), vectorsOf(kinds))

function dump(names: readonly string[]): Fields {
  const module = mkdtempSync(join(tmpdir(), 'nodewave-protobuf-'))
  try {
    copyFileSync(join(import.meta.dirname, 'dump.go'), join(module, 'dump.go'))
    const required = ['k8s.io/api', 'k8s.io/apimachinery'].map((path) => `require ${path} ${LIBRARY_VERSION}`)
    writeFileSync(join(module, 'go.mod'), ['module nodewave.io/protobuf-fields', 'go 1.26.0', ...required, ''].join('\n'))
    return JSON.parse(go(module, ['run', '.', ...names])) as Fields
  } finally {
    rmSync(module, { recursive: true })
  }
}

/** One line a message, so that a change can be read. */
function linesOf({ roots, messages }: Fields): string {
  const lines = Object.entries(messages).map(([name, fields]) => `${JSON.stringify(name)}: ${JSON.stringify(fields)}`)
  return `{"roots": ${JSON.stringify(roots)},\n"messages": {\n${lines.join(',\n')}\n}}\n`
}

function vectorsOf(names: readonly string[]): string {
  const { Dir } = JSON.parse(go(tmpdir(), ['mod', 'download', '-json', `k8s.io/api@${LIBRARY_VERSION}`])) as { Dir: string }
  const chosen = names.filter((name) => !WITHOUT_VECTOR.includes(name.split('/').at(-1) ?? ''))
  const lines = chosen.map((name) => {
    const file = name.includes('.') || name.split('/').length === 3 ? name.replaceAll('/', '.') : `core.${name.replace('/', '.')}`
    const read = (ending: string) => readFileSync(join(Dir, 'testdata/HEAD', `${file}.${ending}`))
    const vector = { protobuf: read('pb').toString('base64'), json: JSON.parse(read('json').toString()) as unknown }
    return `${JSON.stringify(name)}: ${JSON.stringify(vector)}`
  })
  return `{\n${lines.join(',\n')}\n}\n`
}

function go(cwd: string, args: readonly string[]): string {
  return execFileSync('go', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' },
  })
}
