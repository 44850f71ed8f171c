package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

const socketName = "torchsoak-gpu.sock"

// Session keeps a plugin registered. A kubelet that starts empties the folder of plugin sockets, makes its own socket
// anew and has forgotten every plugin; so whenever either socket is replaced or gone, the session serves and registers
// again.
type Session struct {
	Dir    string
	Plugin v1beta1.DevicePluginServer
	Poll   time.Duration // how often the sockets are looked at
}

// Run returns when ctx ends.
func (s Session) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := s.once(ctx); err != nil {
			log.Printf("not registered: %v", err)
		}
		s.pause(ctx)
	}
}

// once serves and registers, and returns when that has to be done again.
func (s Session) once(ctx context.Context) error {
	// Looked at before registering: a kubelet that restarts in between is then noticed below.
	kubelet, err := os.Stat(s.kubeletSocket())
	if os.IsNotExist(err) {
		return nil // Not started yet.
	} else if err != nil {
		return err
	}

	if err := os.Remove(s.socket()); err != nil && !os.IsNotExist(err) {
		return err
	}
	listener, err := net.Listen("unix", s.socket())
	if err != nil {
		return err
	}
	own, err := os.Stat(s.socket())
	if err != nil {
		listener.Close()
		return err
	}
	server := grpc.NewServer()
	v1beta1.RegisterDevicePluginServer(server, s.Plugin)
	go server.Serve(listener)
	defer server.Stop() // Also removes the socket.

	if err := s.register(ctx); err != nil {
		return err
	}
	log.Printf("registered %s with the kubelet", Resource)
	for ctx.Err() == nil && unchanged(s.kubeletSocket(), kubelet) && unchanged(s.socket(), own) {
		s.pause(ctx)
	}
	return nil
}

func (s Session) register(ctx context.Context) error {
	connection, err := grpc.NewClient("unix://"+s.kubeletSocket(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err = v1beta1.NewRegistrationClient(connection).Register(ctx, &v1beta1.RegisterRequest{
		Version:      v1beta1.Version,
		Endpoint:     socketName,
		ResourceName: Resource,
	})
	if err != nil {
		return fmt.Errorf("the kubelet refused: %w", err)
	}
	return nil
}

func (s Session) kubeletSocket() string {
	return filepath.Join(s.Dir, filepath.Base(v1beta1.KubeletSocket))
}
func (s Session) socket() string { return filepath.Join(s.Dir, socketName) }

func (s Session) pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(s.Poll):
	}
}

// unchanged says whether path is still the file that was seen. Numbers of deleted files are used again at once, hence
// the time too.
func unchanged(path string, seen os.FileInfo) bool {
	now, err := os.Stat(path)
	return err == nil && os.SameFile(now, seen) && now.ModTime().Equal(seen.ModTime())
}
