/** Made for the tests: an authority until 2126, and a certificate that is none. Their keys are gone. */
export const AUTHORITY = pem([
  'MIIBijCCAS+gAwIBAgIUfVbdLPsoDnPRtVNAHFhQEOnzcXgwCgYIKoZIzj0EAwIw',
  'GTEXMBUGA1UEAwwOdGVzdCBhdXRob3JpdHkwIBcNMjYxMTIyMTAwNDI3WhgPMjEy',
  'NjEwMjkxMDA0MjdaMBkxFzAVBgNVBAMMDnRlc3QgYXV0aG9yaXR5MFkwEwYHKoZI',
  'zj0CAQYIKoZIzj0DAQcDQgAEoJd492MElth9GyqOPvLMe5UuUkCsyesiJUMkef5l',
  'dqkFVdS1A2CZnGDkh4OVnKK4bYBoi8vhBW22y0uFhhR8yqNTMFEwHQYDVR0OBBYE',
  'FBcydoflsBLdpo9gRLkj/SNvJseAMB8GA1UdIwQYMBaAFBcydoflsBLdpo9gRLkj',
  '/SNvJseAMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAPDCMJeQ',
  'Om6jCG6TNwODacYH8Ar8fy1gDRdeFssbkWzeAiEAyi7AHdRYwEKfWurnSBv4XQkv',
  'NwWbQbo3+5J6nCeu5EA=',
])

export const NO_AUTHORITY = pem([
  'MIIBczCCARigAwIBAgIUVOqaMq7LzGEcnQ+pibG+LkNdEf4wCgYIKoZIzj0EAwIw',
  'DzENMAsGA1UEAwwEbGVhZjAgFw0yNjExMjIxMDA0MjdaGA8yMTI2MTAyOTEwMDQy',
  'N1owDzENMAsGA1UEAwwEbGVhZjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABE82',
  'aT1THxTw3MiGl/ZD3jQq4DrXeOk+MXRvvCc+xrqY2SHp/XPdWF6NTpuoCvQb19QN',
  'n4wVM7klgrKd7lj5kLGjUDBOMB0GA1UdDgQWBBQeFbzA2EYWnax6Lp5KFs/GKJbt',
  '/TAfBgNVHSMEGDAWgBQeFbzA2EYWnax6Lp5KFs/GKJbt/TAMBgNVHRMBAf8EAjAA',
  'MAoGCCqGSM49BAMCA0kAMEYCIQCrLcWp7OM2UwJO4rCu3W6PXbXpuj1CHuKeenKk',
  'x0F5rwIhAJ3EKsoZbqK24JsCpJqC18pp80gKt25MltROQWYgpxy9',
])

function pem(lines: readonly string[]): string {
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
