import { expect, test } from 'vitest'
import { checkProxy } from '../../src/gitsync/proxy.ts'

const URL = 'https://git.example.com/fleet.git'

test.for([
  [{ HTTPS_PROXY: 'socks5://proxy:1080' }, 'HTTPS_PROXY'],
  [{ https_proxy: 'proxy:3128' }, 'https_proxy'],
  [{ ALL_PROXY: 'http://proxy:3128' }, 'ALL_PROXY'],
  [{ all_proxy: 'socks5h://proxy:1080', NO_PROXY: 'example.org,ample.com' }, 'all_proxy'],
] as const)('a proxy that cannot be used is told: %o', ([environment, name]) => {
  expect(() => checkProxy(URL, environment)).toThrow(
    `failed to use the proxy of ${name} for "git.example.com": only HTTPS_PROXY with an address that begins with http:// or https:// is supported; ` +
      'set that, or name "git.example.com" in NO_PROXY',
  )
})

test.for([
  {},
  { HTTPS_PROXY: 'http://proxy:3128' },
  { HTTPS_PROXY: 'https://proxy:3128', ALL_PROXY: 'socks5://proxy:1080' },
  { HTTP_PROXY: 'socks5://proxy:1080' },
  { ALL_PROXY: 'socks5://proxy:1080', NO_PROXY: 'localhost, .example.com' },
  { ALL_PROXY: 'socks5://proxy:1080', no_proxy: '*' },
])('no proxy, one that can be used, or one that is not for this host is no error: %o', (environment) => {
  expect(() => checkProxy(URL, environment)).not.toThrow()
})
