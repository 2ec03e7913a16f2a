import { describe, expect, it } from 'vitest';
import { portsFoundClosed, refusalNotes, saysPortTaken, saysReadOnly, saysSocket, saysUnreached } from '../../../src/core/sandbox/denials.ts';

describe('what a command printed', () => {
  it.each([
    ['Error: connect ECONNREFUSED 127.0.0.1:5432', [5432]],
    ['connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused', [5432]],
    ['dial tcp [::1]:6379: connect: connection refused', [6379]],
    ['curl: (7) Failed to connect to localhost port 8080 after 0 ms: Connection refused', [8080]],
    ['redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused.', [6379]],
    ['connect ECONNREFUSED 127.0.0.1:1\nconnect ECONNREFUSED 127.0.0.1:3306\nconnect ECONNREFUSED 127.0.0.1:3306', [3306]],
    ['server listening on 127.0.0.1:8080', []],
    ['connect ECONNREFUSED 10.0.0.1:5432', []],
    ['connect ECONNREFUSED 127.0.0.1:99999', []],
  ] as const)('tells which ports it found closed: %s', (printed, ports) => {
    expect(portsFoundClosed(printed)).toEqual(ports);
  });

  it('tells a read-only system from a right that is missing', () => {
    expect(['touch: cannot touch \'/x\': Read-only file system', 'Error: EROFS: read-only file system, open \'/x\'', 'OSError: [Errno 30] Read-only file system'].every((words) => saysReadOnly(words, 'linux'))).toBe(true);
    expect(['Permission denied', 'EACCES: permission denied', 'Operation not permitted', 'PROSEROFSX'].some((words) => saysReadOnly(words, 'linux'))).toBe(false);
    // What macOS says of its sandbox.
    expect(saysReadOnly('touch: /x: Operation not permitted', 'darwin')).toBe(true);
  });

  it('tells a socket that is out of reach', () => {
    expect(['permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock', 'dial unix /var/run/docker.sock: socket: operation not permitted', 'Error: connect EPERM /tmp/.s.sock', 'Error: listen EPERM: operation not permitted /tmp/socket', '    _socket.socket.__init__(self, family, type, proto, fileno)\nPermissionError: [Errno 1] Operation not permitted'].every(saysSocket)).toBe(true);
    expect(['connect ECONNREFUSED 127.0.0.1:1', 'chown: Operation not permitted', 'wrote a.sock'].some(saysSocket)).toBe(false);
  });

  it('tells a host that did not answer from one that was refused', () => {
    expect(["ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 502 Bad Gateway'))", 'curl: (56) CONNECT tunnel failed, response 502', 'npm error code E502\nnpm error 502 Bad Gateway - GET https://registry.example.com/x'].every((output) => saysUnreached(output, { failed: true }))).toBe(true);
    expect(["OSError('Tunnel connection failed: 403 Forbidden')", 'curl: (56) CONNECT tunnel failed, response 403', 'the proxy passed 502 requests'].some((output) => saysUnreached(output, { failed: true }))).toBe(false);
  });

  it('takes what a command that passed prints for the test it is, unless it names the proxy', () => {
    expect(['✓ answers 502 Bad Gateway', 'HTTP/1.1 504 Gateway Timeout'].some((output) => saysUnreached(output, { failed: false }))).toBe(false);
    expect(["OSError('Tunnel connection failed: 502 Bad Gateway')", 'curl: (56) CONNECT tunnel failed, response 504'].every((output) => saysUnreached(output, { failed: false }))).toBe(true);
  });
});

describe('a note of what was refused', () => {
  const nothing = { hosts: [], ports: [], unreached: false, wroteOutside: false, triedSocket: false, portTaken: false };
  const may = { network: 'registries', allowedPorts: [] } as const;

  it('is not there where nothing was', () => {
    expect(refusalNotes(nothing, may)).toEqual([]);
  });

  it('begins each line the same, and says what could allow it', () => {
    const notes = refusalNotes({ hosts: ['a.example.com:443'], ports: [5432], unreached: true, wroteOutside: true, triedSocket: true, portTaken: true }, may);
    expect(notes).toHaveLength(4);
    for (const note of notes) expect(note).toMatch(/^\[sandbox\] /);
    expect(notes[0]).toMatch(/^\[sandbox\] a\.example\.com:443 .*worldtree\.sandbox\.hosts/);
  });

  it('says of a host that did not answer that nothing was refused, unless something was', () => {
    expect(refusalNotes({ ...nothing, unreached: true }, may)).toEqual([expect.stringContaining('Nothing was refused')]);
    expect(refusalNotes({ ...nothing, unreached: true, hosts: ['a.example.com:443'] }, may)).toHaveLength(1);
  });

  it('says of a port whether the person allowed it meanwhile', () => {
    expect(refusalNotes({ ...nothing, ports: [5432] }, may)[0]).toContain('has not allowed it');
    expect(refusalNotes({ ...nothing, ports: [5432] }, { ...may, allowedPorts: [5432] })[0]).toContain('Run the command again');
  });

  it('says why a port of its own is taken, where the person’s server has it', () => {
    expect(saysPortTaken('Error: listen EADDRINUSE: address already in use :::3000')).toBe(true);
    expect(saysPortTaken('OSError: [Errno 98] Address already in use')).toBe(true);
    expect(saysPortTaken('listening on 127.0.0.1:3000')).toBe(false);
    expect(refusalNotes({ ...nothing, portTaken: true }, may)).toEqual([]);
    expect(refusalNotes({ ...nothing, portTaken: true }, { ...may, allowedPorts: [3000] })).toEqual([expect.stringMatching(/no command can listen on them: 3000\. Use another port/)]);
  });

  it('names the first few of many hosts, and counts the others', () => {
    const notes = refusalNotes({ ...nothing, hosts: Array.from({ length: 20 }, (_, i) => `h${String(i)}.example.com:443`) }, may);
    expect(notes).toHaveLength(9);
    expect(notes.at(-1)).toBe('[sandbox] 12 more hosts were not reachable.');
  });
});
