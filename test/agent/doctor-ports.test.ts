import { expect, test } from 'vitest'
import type { Listener } from '../../src/agent/doctor/facts.ts'
import { kubeletPorts, type PortFacts, portFindings } from '../../src/agent/doctor/port-findings.ts'

const KUBELET = { pid: 700, name: 'kubelet' }
const NGINX = { pid: 812, name: 'nginx' }

function unit(mainPid: number): PortFacts['units'] {
  const counts = { mainPid, restarts: 0, runningFor: 1, lastExit: 0 }
  const state = { exists: true, isGone: false, active: 'active', enabled: true, isStatic: false, ...counts } as const
  return [{ name: 'kubelet.service', state: { value: state } }]
}

function findings(listeners: readonly Listener[], { mainPid = 700, document = {} } = {}): string[] {
  const facts = { kubeletPorts: kubeletPorts(document, []), listeners: { value: listeners }, units: unit(mainPid) }
  return portFindings(facts).map(({ state, check, message }) => `${state} ${check}: ${message}`)
}

test('ports are well when the kubelet listens, and when nobody does', () => {
  const own = [
    { address: '::', port: 10250, process: KUBELET },
    { address: '127.0.0.1', port: 10248, process: KUBELET },
  ]
  expect(findings(own)).toEqual(['ok port 10250: the kubelet listens', 'ok port 10248: the kubelet listens'])
  expect(findings([], { mainPid: 0 })).toEqual(['ok port 10250: free for the kubelet', 'ok port 10248: free for the kubelet'])
})

test('a port is an error with a remedy when another process than the kubelet has it', () => {
  const facts = {
    kubeletPorts: kubeletPorts({}, []),
    listeners: { value: [{ address: '::1', port: 10250, process: NGINX }] },
    units: unit(0),
  }
  expect(portFindings(facts)[0]).toEqual({
    check: 'port 10250',
    state: 'error',
    message: '"nginx" (pid 812) listens on [::1]:10250, where the kubelet of kubelet.service is to listen',
    remedy: 'stop that process, or set another port in the configuration of the kubelet',
  })
})

test('a kubelet that its unit did not start is another process', () => {
  const stray = [{ address: '127.0.0.1', port: 10248, process: { pid: 99, name: 'kubelet' } }]
  expect(findings(stray, { mainPid: 0 })[1]).toBe(
    'error port 10248: "kubelet" (pid 99) listens on 127.0.0.1:10248, where the kubelet of kubelet.service is to listen',
  )
  expect(findings(stray, { mainPid: 98 })[1]).toBe('ok port 10248: the kubelet listens')
})

test.each([
  ['kubelet', KUBELET, 'ok'],
  ['nginx', NGINX, 'error'],
  ['that cannot be seen', undefined, 'warning'],
])('a process %s is judged by its name when the unit cannot be judged', (_, process, state) => {
  const facts = {
    kubeletPorts: kubeletPorts({}, []),
    listeners: { value: [{ address: '::', port: 10250, process }] },
    units: [{ name: 'kubelet.service', state: { error: 'no systemd' } }],
  }
  expect(portFindings(facts)[0]?.state).toBe(state)
})

test('a process on another address is not in the way of a kubelet that listens on one address', () => {
  expect(findings([{ address: '192.0.2.1', port: 10248, process: NGINX }])[1]).toBe('ok port 10248: free for the kubelet')
  expect(findings([{ address: '0.0.0.0', port: 10248, process: NGINX }])[1]).toContain('"nginx" (pid 812)')
})

test('a process that cannot be seen is a warning', () => {
  expect(findings([{ address: '0.0.0.0', port: 10250, process: undefined }])[0]).toBe(
    'warning port 10250: who listens on 0.0.0.0:10250 cannot be seen',
  )
})

test('ports that cannot be looked at are warnings', () => {
  const facts = { kubeletPorts: kubeletPorts({}, []), listeners: { error: 'EACCES' }, units: unit(700) }
  expect(portFindings(facts)[0]).toEqual({
    check: 'port 10250',
    state: 'warning',
    message: 'cannot be judged: EACCES',
    remedy: 'ss -ltnp "sport = :10250"',
  })
})

test('kubeletPorts reads the configuration, and flags before it', () => {
  const document = { port: 11250, address: '192.0.2.1', healthzPort: 11248, healthzBindAddress: '' }
  expect(kubeletPorts(document, ['--healthz-port=12248'])).toEqual([
    { field: 'port', address: '192.0.2.1', port: 11250 },
    { field: 'healthzPort', address: '127.0.0.1', port: 12248 },
  ])
})

test('a kubelet that serves no health needs no port for it', () => {
  expect(kubeletPorts({ healthzPort: 0 }, []).map(({ port }) => port)).toEqual([10250])
})
