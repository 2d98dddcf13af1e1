/** The examples for machines do what docs/install.md says, with the names that the project's own files have. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { AGENT_UNIT, AGENT_UNIT_FILE, CURRENT_LINK } from '../../src/agent/install/paths.ts'
import { BOOTSTRAP_KUBECONFIG } from '../../src/agent/paths.ts'
import { parseAgentArguments } from '../../src/cli/agent-arguments.ts'
import { VERSION } from '../../src/protocol/version.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const install = read('docs/install.md')
const ROLE = 'examples/hosts/ansible/roles/nodewave_agent'
const TARBALL = 'nodewave-agent-0.1.0-linux-amd64.tar.gz'
const DROP_IN = '/etc/systemd/system/nodewave-agent.service.d/50-options.conf'

/** The block of the page that holds this line, and no other. */
function block(line: string): string {
  const found = [...install.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)]
    .map(([, text = '']) => text)
    .filter((text) => text.includes(line))
  expect(found).toHaveLength(1)
  return found[0] ?? ''
}

const cloudInit = z
  .object({
    write_files: z.array(z.object({ path: z.string(), permissions: z.string(), content: z.string() })),
    runcmd: z.tuple([z.tuple([z.literal('sh'), z.literal('-euc'), z.string()])]),
  })
  .parse(parse(read('examples/hosts/cloud-init.yaml')))

const contents = z.object({
  inline: z.string().optional(),
  source: z.string().optional(),
  compression: z.string().optional(),
  verification: z.object({ hash: z.string() }).optional(),
})
const machine = z.object({
  storage: z.object({ files: z.array(z.object({ path: z.string(), mode: z.number(), contents })) }),
  systemd: z.object({ units: z.array(z.object({ name: z.string(), enabled: z.boolean(), contents: z.string() })) }),
})
// Butane reads YAML 1.1, where a number with a leading zero is octal.
const butane = machine.parse(parse(read('examples/hosts/ignition.bu'), { version: '1.1' }))
const ignition = machine.parse(JSON.parse(read('examples/hosts/ignition.ign')))

const writtenBy = (files: readonly { path: string; text: string | undefined }[]) =>
  new Map(files.map(({ path, text }) => [path, text]))
const examples: readonly (readonly [string, ReadonlyMap<string, string | undefined>])[] = [
  ['cloud-init.yaml', writtenBy(cloudInit.write_files.map(({ path, content }) => ({ path, text: content })))],
  ['ignition.bu', writtenBy(butane.storage.files.map((file) => ({ path: file.path, text: file.contents.inline })))],
]

/** Of a drop-in: what the agent is started with. */
function optionsIn(text: string | undefined): string[] {
  return /^Environment="NODEWAVE_AGENT_OPTIONS=(.*)"$/m.exec(text ?? '')?.[1]?.split(' ') ?? []
}

test('the examples are of the version that the project has', () => {
  expect(VERSION).toBe('0.1.0')
  const role = parse(read(`${ROLE}/defaults/main.yml`))
  expect(role.nodewave_agent_version).toBe(VERSION)
  expect(parse(read('examples/hosts/ansible/site.yml'))[0].roles[0].vars.nodewave_agent_version).toBe(VERSION)
  const named = ['cloud-init.yaml', 'ignition.bu', 'ignition.ign'].map((name) => read(`examples/hosts/${name}`)).join('\n')
  const versions = [...named.matchAll(/nodewave(?:-agent-|\/)(\d+\.\d+\.\d+)/g)].map(([, version]) => version)
  expect(new Set(versions)).toEqual(new Set([VERSION]))
})

test('cloud-init.yaml runs the commands of docs/install.md', () => {
  const [, , script] = cloudInit.runcmd[0]
  const [place, download, ...commands] = script.trimEnd().split('\n')
  expect(place).toBe('cd /var/tmp')
  expect(download).toMatch(
    /^curl --fail .* https:\/\/packages\.example\.com\/nodewave\/nodewave-agent-0\.1\.0-linux-amd64\.tar\.gz$/,
  )
  expect(commands.join('\n')).toBe(block(`sha256sum -c ${TARBALL}.sha256`).trimEnd())
})

test('cloud-init.yaml writes the checksum beside the download, and it is zeros', () => {
  expect(examples[0]?.[1].get(`/var/tmp/${TARBALL}.sha256`)).toBe(`${'0'.repeat(64)}  ${TARBALL}\n`)
})

test('the unit of ignition.bu runs the commands of docs/install.md', () => {
  const [unit] = butane.systemd.units
  const commands = [...(unit?.contents ?? '').matchAll(/^ExecStart=(.*)$/gm)].map(([, command]) => command)
  expect(commands).toEqual([
    '/usr/bin/mkdir -p /opt/nodewave',
    `/usr/bin/tar -xzf /var/tmp/${TARBALL} -C /opt/nodewave`,
    '/opt/nodewave/0.1.0/nodewave-agent install',
  ])
  expect(block(`sha256sum -c ${TARBALL}.sha256`)).toContain(`tar -xzf ${TARBALL} -C /opt/nodewave\n${commands[2]}\n`)
  expect(unit?.contents).toContain(`ConditionPathExists=!/etc/systemd/system/multi-user.target.wants/${AGENT_UNIT}\n`)
})

test('ignition.bu names the checksum of the tarball, and it is zeros', () => {
  const file = butane.storage.files.find(({ path }) => path === `/var/tmp/${TARBALL}`)
  expect(file?.contents).toEqual({
    source: `https://packages.example.com/nodewave/${TARBALL}`,
    verification: { hash: `sha256-${'0'.repeat(64)}` },
  })
})

test.each(examples)('%s writes the bootstrap token as docs/install.md does', (_name, files) => {
  expect(BOOTSTRAP_KUBECONFIG).toBe('/etc/nodewave/bootstrap.conf')
  expect(files.get(BOOTSTRAP_KUBECONFIG)).toBe(block('current-context: bootstrap'))
})

test('a bootstrap token is for root only', () => {
  expect(cloudInit.write_files.find(({ path }) => path === BOOTSTRAP_KUBECONFIG)?.permissions).toBe('0600')
  expect(butane.storage.files.find(({ path }) => path === BOOTSTRAP_KUBECONFIG)?.mode).toBe(0o600)
})

test.each([...examples, ['docs/install.md', new Map([[DROP_IN, block(`# ${DROP_IN}`)]])] as const])(
  '%s gives the agent options that it has',
  (_name, files) => {
    expect(parseAgentArguments(optionsIn(files.get(DROP_IN))).nodeLabels).toEqual({ pool: 'machines' })
  },
)

test('the pool of the examples selects the label that they give', () => {
  const { spec } = parse(read('examples/repo/pools/machines.yaml'))
  expect(spec.nodeSelector.matchLabels).toEqual({ pool: 'machines' })
})

test('the unit passes the options of a drop-in to the agent', () => {
  const unit = read('deploy/nodewave-agent.service')
  expect(unit).toMatch(/^Environment=NODEWAVE_AGENT_OPTIONS=$/m)
  expect(unit).toMatch(/^ExecStart=.*\.mjs .* \$NODEWAVE_AGENT_OPTIONS$/m)
})

test('ignition.ign is what Butane makes of ignition.bu', () => {
  const plain = (config: z.infer<typeof machine>) => ({
    files: config.storage.files.map(({ contents: { verification, ...text }, ...file }) => ({
      ...file,
      verification,
      text: textOf(text),
    })),
    units: config.systemd.units,
  })
  expect(plain(ignition)).toEqual(plain(butane))
})

function textOf({ inline, source = '', compression }: z.infer<typeof contents>): string {
  if (inline !== undefined) return inline
  const [, base64, data = ''] = /^data:;?(base64)?,(.*)$/.exec(source) ?? []
  if (data === '') return source
  if (base64 === undefined) return decodeURIComponent(data)
  const bytes = Buffer.from(data, 'base64')
  return (compression === 'gzip' ? gunzipSync(bytes) : bytes).toString()
}

test('the role names files as npm run image does, and the paths of the agent', () => {
  const { nodewave_agent_files: files, nodewave_agent_drop_in: dropIn } = parse(read(`${ROLE}/vars/main.yml`))
  const names = { nodewave_agent_version: VERSION, nodewave_agent_arch: 'amd64', "ansible_facts['architecture']": 'x86_64' }
  const filled = Object.entries(names).reduce(
    (text, [name, value]) => text.replaceAll(`{{ ${name} }}`, value),
    JSON.stringify(files),
  )
  const { tarball, deb, rpm } = JSON.parse(filled)
  expect(tarball).toBe(TARBALL)
  expect(install).toContain(`dist-image/${tarball} `)
  expect(install).toContain(`dist-image/${deb} `)
  expect(rpm).toBe('nodewave-agent-0.1.0-1.x86_64.rpm')
  expect(dropIn).toBe(DROP_IN)
  expect(DROP_IN.startsWith(`${AGENT_UNIT_FILE}.d/`)).toBe(true)
  expect(read(`${ROLE}/tasks/main.yml`)).toContain(`path: ${CURRENT_LINK}\n`)
  expect(read(`${ROLE}/tasks/present.yml`)).toContain(`path: /etc/systemd/system/multi-user.target.wants/${AGENT_UNIT}\n`)
})
