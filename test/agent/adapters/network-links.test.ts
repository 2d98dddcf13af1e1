import { expect, test } from 'vitest'
import { configureLinks, managedLinks } from '../../../src/agent/adapters/network-links.ts'

const LIST = `  1 lo           loopback carrier  unmanaged
  2 host0        ether    routable configured
  3 cni0         bridge   routable unmanaged
  4 -x           ether    routable configuring
● 5 wlan0        wlan     off      failed
  6 gone         ether    n/a      linger

`

/** A networkctl that answers with the list, or fails at a verb. */
function networkctl(failing?: string) {
  const asked: string[] = []
  const run = async (program: string, args: readonly string[]) => {
    asked.push([program, ...args].join(' '))
    const fails = args[0] === failing
    return { code: fails ? 1 : 0, stdout: fails ? '' : LIST, stderr: fails ? 'no bus\n' : '', timedOut: false }
  }
  return { asked, run }
}

test('managedLinks has the number of each link that networkd sets up', () => {
  expect(managedLinks(LIST)).toEqual(['2', '4', '5'])
  expect(managedLinks('')).toEqual([])
})

test('configureLinks has networkd set its links up anew when it was restarted', async () => {
  const { asked, run } = networkctl()
  await configureLinks(['kubelet.service', 'systemd-networkd.service'], run)
  expect(asked).toEqual(['networkctl list --no-legend --no-pager', 'networkctl reconfigure 2 4 5'])
})

test('configureLinks asks nothing when networkd was not restarted', async () => {
  const { asked, run } = networkctl()
  await configureLinks(['kubelet.service'], run)
  expect(asked).toEqual([])
})

test.each(['list', 'reconfigure'])('configureLinks fails with the words of networkctl when "%s" fails', async (verb) => {
  const { run } = networkctl(verb)
  await expect(configureLinks(['systemd-networkd.service'], run)).rejects.toThrow(`networkctl ${verb}`)
})
