import type { LookupAddress, LookupOptions } from 'node:dns'
import type { BlockList } from 'node:net'

type Lookup = (
  hostname: string,
  options: LookupOptions,
  callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
) => void

/** Of this machine, its link, its site, or nobody: what a server on the internet has no reason to send an agent to. */
const PRIVATE_SUBNETS = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 198.18.0.0/15',
  '224.0.0.0/3 ::/96 64:ff9b::/96 64:ff9b:1::/48 2002::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8',
]
let list: BlockList | undefined

/** Also an IPv4 address that is written as one of IPv6. */
export function isPrivateAddress(address: string): boolean {
  list ??= privateAddresses()
  return list.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
}

/** By the module, as few agents ever need it. */
function privateAddresses(): BlockList {
  const { BlockList } = process.getBuiltinModule('node:net')
  const made = new BlockList()
  for (const subnet of PRIVATE_SUBNETS.join(' ').split(' ')) {
    const [address = '', prefix] = subnet.split('/')
    made.addSubnet(address, Number(prefix), address.includes(':') ? 'ipv6' : 'ipv4')
  }
  return made
}

/** @returns why a redirect must not lead to the address; undefined when it may */
export function redirectComplaint(
  host: string,
  address: string,
  { used }: { readonly used: readonly string[] },
): string | undefined {
  if (used.includes(address) || !isPrivateAddress(address)) return undefined
  return `refuse the redirect to "${host}": its address ${address} is a private one; download from there directly, or name the host in urlHosts of the host policy`
}

/** Looks names up as Node does. The connection is made to an address that was judged, so a name server cannot answer twice in two ways. */
export function judgingLookup(judge: (address: string) => string | undefined): Lookup {
  return (hostname, options, callback) => {
    process.getBuiltinModule('node:dns').lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, [])
      const complaint = addresses.map(({ address }) => judge(address)).find((found) => found !== undefined)
      const [first] = addresses
      if (complaint !== undefined || first === undefined)
        return callback(new Error(complaint ?? `no address of "${hostname}"`), [])
      if (options.all === true) return callback(null, addresses)
      callback(null, first.address, first.family)
    })
  }
}
