import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

/** 1.34 has this flag, and 1.36 has not. */
const DROPPED = '--pod-infra-container-image=pause'

test('kubelet that comes judges its flags before the one that runs is disturbed', async () => {
  const machine = new Machine({ version: '1.34.2' })
  machine.start()
  await machine.clock.advance(5000)
  const { mainPid } = await machine.host.services.show('kubelet.service')
  machine.assign({ version: '1.36.3', flags: DROPPED, host: JSON.stringify({ kubelet: machine.release('1.36.3') }) })

  expect((await machine.until('Applied', 'RolledBack', 'Failed')).error?.reason).toBe('PreflightFailed')
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
})

test('kubelet that comes back is not judged by the one that goes', async () => {
  const machine = new Machine({ version: '1.34.2' })
  machine.start()
  await machine.clock.advance(5000)
  machine.assign({ version: '1.36.3', host: JSON.stringify({ kubelet: machine.release('1.36.3') }) })
  await machine.until('Applied')
  const path = '/var/lib/kubelet/kubeadm-flags.env'
  const flags = machine.host.files.text(path)?.replace('"\n', ` ${DROPPED}"\n`) ?? ''
  machine.host.files.put(path, flags)
  const digest = machine.assign({ config: 'maxPods: 5\n' })
  await machine.clock.runUntil(() => machine.status?.digest === digest && machine.status.phase !== 'Applying')

  expect(machine.status).toMatchObject({ phase: 'Applied' })
  expect(machine.host.services.healthyVersion()).toBe('v1.34.2')
})
