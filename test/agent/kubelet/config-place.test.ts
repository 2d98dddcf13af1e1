/** Where a kubelet reads its configuration is what its own flags say, and where it answers is what stands there. */
import { expect, test } from 'vitest'
import { envLayout } from '../../../src/agent/kubelet/env.ts'
import { kubeadmLayout } from '../../../src/agent/kubelet/kubeadm.ts'
import type { HostTexts, Layout, LayoutInput } from '../../../src/agent/kubelet/layout.ts'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import { Machine } from '../support/machine.ts'

const ENVIRONMENT = '/etc/kubernetes/kubelet.env'
const OWN = '/etc/kubernetes/kubelet.yaml'
const NAMED = { [ENVIRONMENT]: `KUBELET_OPTS="--config=${OWN} --v=2"\n`, [OWN]: 'healthzPort: 10300\ncgroupDriver: systemd\n' }

function inputFor(content: NodeContent): LayoutInput {
  const facts = {
    environmentFile: ENVIRONMENT,
    extraArgsFile: '/etc/default/kubelet',
    manager: 'systemd',
    unusedVariables: [],
  } as const
  return { content, install: {}, arch: 'amd64', staging: '/s', facts }
}

function textsOf(files: Readonly<Record<string, string>>): ReadonlyMap<string, Uint8Array> {
  return new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]))
}

function targetOf(layout: Layout, content: NodeContent, { local, current = local }: { [side in keyof HostTexts]?: object }) {
  const texts = { local: textsOf(local as Record<string, string>), current: textsOf(current as Record<string, string>) }
  return layout.target(inputFor(content), texts)
}

test('env layout reads the configuration that the flags of the machine name, once it knows them', () => {
  const input = inputFor({ version: '1.36.3' })
  const nothing = textsOf({})
  const texts = textsOf(NAMED)

  expect(envLayout.reads(input, { local: nothing, current: nothing })).not.toContain(OWN)
  expect(envLayout.reads(input, { local: texts, current: nothing })).toContain(OWN)
  expect(envLayout.reads(input, { local: nothing, current: texts })).toContain(OWN)
})

test('env layout finds the health endpoint where the configuration of the machine has it', () => {
  const target = targetOf(envLayout, { version: '1.36.3' }, { local: NAMED })

  expect(target.healthz).toBe('http://127.0.0.1:10300/healthz')
  expect(target.healthzBefore).toBe('http://127.0.0.1:10300/healthz')
})

test('env layout ignores a --config that names a directory, or no absolute path', () => {
  const directory = { [ENVIRONMENT]: 'KUBELET_OPTS="--config=/etc/kubernetes/manifests"\n' }
  const relative = { [ENVIRONMENT]: 'KUBELET_OPTS="--config=kubelet.yaml"\n', 'kubelet.yaml': 'healthzPort: 10300\n' }

  for (const local of [directory, relative])
    expect(targetOf(envLayout, { version: '1.36.3' }, { local }).healthz).toBe('http://127.0.0.1:10248/healthz')
})

test("env layout lays Git's fields over the configuration that the machine's own flags name", () => {
  const { config, healthz } = targetOf(envLayout, { config: 'maxPods: 50\n' }, { local: NAMED })

  expect(config?.path).toBe('/var/lib/kubelet/config.yaml')
  expect(config?.text).toContain('cgroupDriver: systemd\n')
  expect(healthz).toBe('http://127.0.0.1:10300/healthz')
})

test.each([
  ['env', envLayout, { [ENVIRONMENT]: 'KUBELET_OPTS="--healthz-port=10300"\n' }],
  ['kubeadm', kubeadmLayout, { '/etc/default/kubelet': 'KUBELET_EXTRA_ARGS="--healthz-port=10300"\n' }],
])('%s layout looks for the kubelet that runs by the flags it runs with, not by those to come', (_, layout, current) => {
  const target = targetOf(layout, { opts: '--healthz-port=10400' }, { local: {}, current })

  expect(target.healthzBefore).toBe('http://127.0.0.1:10300/healthz')
  expect(target.healthz).toBe('http://127.0.0.1:10400/healthz')
})

test('kubeadm layout follows a --config among the extra arguments', () => {
  const local = { '/etc/default/kubelet': `KUBELET_EXTRA_ARGS="--config=${OWN}"\n`, [OWN]: 'healthzPort: 10300\n' }

  expect(kubeadmLayout.reads(inputFor({}), { local: textsOf(local), current: textsOf({}) })).toContain(OWN)
  expect(targetOf(kubeadmLayout, { version: '1.36.3' }, { local }).healthz).toBe('http://127.0.0.1:10300/healthz')
})

test('agent asks the kubelet where the configuration of the machine puts its health endpoint', async () => {
  const machine = new Machine({ version: '1.35.4', layout: 'env' })
  machine.host.files.put(ENVIRONMENT, `KUBELET_VERSION=v1.35.4\nKUBELET_OPTS="--config=${OWN}"\n`)
  machine.host.files.put(OWN, 'healthzPort: 10300\n')
  const asked = new Set<string>()
  const { ports } = machine.start()
  const { healthz } = ports.kubelet
  ports.kubelet.healthz = async (url) => {
    asked.add(url)
    return healthz(url)
  }
  machine.assign({ version: '1.36.3' })
  await machine.until('Applied')

  expect([...asked]).toEqual(['http://127.0.0.1:10300/healthz'])
})
